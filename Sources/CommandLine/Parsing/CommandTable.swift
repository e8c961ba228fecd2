struct CommandTable: Sendable {
  static let summary = "Keep signed in to OAuth 2.0 and OpenID Connect services"

  private let command: @Sendable (CommandName) -> Command

  init(_ command: @escaping @Sendable (CommandName) -> Command) { self.command = command }

  var all: [Command] { CommandName.listed.map(command) }

  func named(_ words: String) -> Command? {
    CommandName.allCases.first { $0.rawValue == words }.map(command)
  }

  func named(_ name: CommandName) -> Command { command(name) }

  /// The summary of a command or group.
  func summary(ofFirstWord word: String) -> String { named(word)?.summary ?? CommandName.summary(ofGroup: word) }

  /// Without duplicates.
  func firstWords(in topic: Topic) -> [String] {
    CommandName.firstWords(of: all.filter { $0.topic == topic }.map(\.name))
  }
}
