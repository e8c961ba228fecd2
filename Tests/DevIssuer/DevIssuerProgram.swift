internal import Platform

@main
enum DevIssuerProgram {
  static func main() {
    Processes.exit(DevIssuerMain.run(arguments: Array(CommandLine.arguments.dropFirst())))
  }
}
