internal import CommandLine

@main
enum Generate {
  /// `generate DIRECTORY`: writes the files that are made from the command table.
  static func main() {
    Generator.runAndExit()
  }
}
