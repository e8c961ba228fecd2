internal import Encoding
internal import Platform
internal import Wire

/// The clipboard of the person's terminal, reached by the escape sequence OSC 52, also over SSH.
enum Clipboard {
  /// No longer text is offered: nobody needs more than a code, and terminals differ in what they take.
  static let mostBytes = 64

  /// The sequence that puts `text` into the clipboard.
  ///
  /// The text comes from a server. It goes in only if it is 1 to ``mostBytes`` printable ASCII characters:
  /// whoever pastes it into a shell by mistake must not run a line of it.
  static func sequence(_ text: String) -> String? {
    let bytes = Array(text.utf8)
    guard (1...mostBytes).contains(bytes.count), bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
    return "\u{1B}]52;c;\(Base64.encode(bytes))\u{07}"
  }

  /// Offers `text` to the terminal that this process belongs to. Whether the terminal took it, it does not tell.
  ///
  /// - Returns: false when there is no terminal or the text is not fit for it.
  static func offer(_ text: String) -> Bool {
    guard let sequence = sequence(text), let terminal = try? Terminal.openControlling() else { return false }
    let bytes = Array(sequence.utf8)
    return (try? terminal.writeAll(bytes.span)) != nil
  }
}
