internal import Encoding
internal import Vocabulary

extension AdministratorFiles {
  /// Reads the files, and checks their `agent setup` command lines.
  static func ofThisMachine() -> AdministratorFiles {
    read { line in
      guard let words = ShellWord.words(line), SetupClient.named(words.first ?? "") != nil else { return false }
      return (try? Parser.parse(["setup"] + words, by: CommandTable { _ in SetupCommand.setup })) != nil
    }
  }
}
