/// All commands, in the order in which the help lists them.
///
/// An entry's name is known without building the command, so that a call builds the one command it
/// runs and no other.
enum CommandTable {
  struct Entry: Sendable {
    let name: StaticString
    let command: @Sendable () -> Command
  }

  static let entries: [Entry] = [
    Entry(name: "login") { .login },
    Entry(name: "logout") { .logout },
    Entry(name: "token") { .token },
    Entry(name: "env") { .env },
    Entry(name: "exec") { .exec },
    Entry(name: "status") { .status },
    Entry(name: "list") { .list },
    Entry(name: "use") { .use },
    Entry(name: "whoami") { .whoami },
    Entry(name: "daemon start") { .daemonStart },
    Entry(name: "daemon stop") { .daemonStop },
    Entry(name: "daemon restart") { .daemonRestart },
    Entry(name: "daemon status") { .daemonStatus },
    Entry(name: "daemon run") { .daemonRun },
    Entry(name: "help") { .help },
  ]

  /// Every command, built.
  static var commands: [Command] { entries.map { $0.command() } }

  /// The command of exactly this name.
  static func command(named name: String) -> Command? {
    entries.first { $0.name.matches(name) }?.command()
  }

  /// The second words of the group that `word` names; empty when it names none.
  static func members(ofGroup word: String) -> [String] {
    entries.compactMap { entry in
      let words = String(describing: entry.name).split(separator: " ")
      guard words.count == 2, words[0].utf8.elementsEqual(word.utf8) else { return nil }
      return String(words[1])
    }
  }

  /// The first words of all commands, each once.
  static var firstWords: [String] {
    var words: [String] = []
    for entry in entries {
      let word = String(String(describing: entry.name).prefix { $0 != " " })
      if words.last != word { words.append(word) }
    }
    return words
  }
}

extension StaticString {
  fileprivate func matches(_ text: String) -> Bool {
    withUTF8Buffer { unsafe $0.elementsEqual(text.utf8) }
  }
}
