internal import AgentSocket
internal import Encoding
internal import Platform
internal import Wire

/// Asks a person on the terminal, wherever the standard streams lead, to say yes or no.
enum Confirmation {
  private static let mostBytes = 64

  /// Longer than any address in a question.
  private static let longest = 4096

  private static var choice: String { Phrase("[y/N]").localized() }

  /// - Returns: Whether the person typed `y` or `yes`, in English or the own language; nil when there is no terminal to ask on.
  static func ask(_ question: Phrase) throws(Failure) -> Bool? {
    guard let terminal = try? Terminal.openControlling() else { return nil }
    var line: [UInt8] = []
    let ending: Int32?
    do {
      try terminal.writeAll(Array("\(question.localized(limit: longest, keepsLines: true)) \(choice) ".utf8).span)
      let signals = try SecretPrompt.holdEndings()
      defer { Signals.unblockAll() }
      ending = try SecretPrompt.read(terminal, signals, &line, upTo: mostBytes)
    } catch {
      throw Failure(error, doing: "the terminal cannot be read from")
    }
    if let ending {
      Signals.raise(ending)
      throw Failure(.cancelled, "cancelled")
    }
    let answer = String(decoding: line.filter { $0 > 0x20 }, as: UTF8.self).lowercased()
    let words = Phrase("y yes").localized()
    // Who is used to the English words gets on with them in any language.
    return ["y", "yes"].contains(answer) || words.split(separator: " ").contains { $0 == answer }
  }
}
