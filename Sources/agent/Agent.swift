internal import CommandLine

@main
enum Agent {
  static func main() {
    Main.runAndExit()
  }
}
