internal import Encoding
internal import Platform
internal import Wire

/// Asks a person on the terminal, wherever the standard streams lead, to say yes or no.
enum Confirmation {
  private static let mostBytes = 64

  /// - Returns: Whether the person typed `y` or `yes`; nil when there is no terminal to ask on.
  static func ask(_ question: String) throws(Failure) -> Bool? {
    guard let terminal = try? Terminal.openControlling() else { return nil }
    var line: [UInt8] = []
    let ending: Int32?
    do {
      try terminal.writeAll(Array("\(question) [y/N] ".utf8).span)
      ending = try SecretPrompt.read(terminal, &line, upTo: mostBytes)
    } catch {
      throw Failure(error, doing: "the terminal cannot be read from")
    }
    if let ending {
      Signals.raise(ending)
      throw Failure(.cancelled, "cancelled")
    }
    let answer = String(decoding: line.filter { $0 > 0x20 }, as: UTF8.self).lowercased()
    return answer == "y" || answer == "yes"
  }
}
