internal import Lease
internal import Platform

@main
enum AgentLease {
  static func main() {
    ProcessHardening.occupyStandardDescriptors()
    Processes.exit(LeaseMain.run(arguments: Processes.arguments))
  }
}
