internal import Daemon
internal import Platform

@main
enum AgentDaemon {
  static func main() {
    ProcessHardening.occupyStandardDescriptors()
    Processes.exit(DaemonMain.run(arguments: Processes.arguments))
  }
}
