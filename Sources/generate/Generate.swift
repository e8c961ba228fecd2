internal import CommandLine

@main
enum Generate {
  static func main() {
    Generator.runAndExit()
  }
}
