internal import CommandLine

@main
enum Generate {
  /// Runs `generate`; see ``Generator/runAndExit()``.
  static func main() {
    Generator.runAndExit()
  }
}
