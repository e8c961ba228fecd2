internal import Encoding
internal import Platform

/// The capabilities of the terminal on standard output or standard error, and its user's preferences.
struct OutputTerminal: Sendable {
  /// Whether it supports escape sequences, so that a line can be rewritten.
  var obeysEscapes: Bool

  /// Whether to use bold and colours.
  var hasStyles: Bool

  /// The current width, which may change at any time.
  var columns: @Sendable () -> Int

  /// The current height; nil if unknown.
  var rows: @Sendable () -> Int? = { nil }

  /// Whether it shows characters beyond ASCII, according to the locale.
  var showsUTF8 = false

  /// The width of a terminal that does not report it, such as a serial line.
  static let usualColumns = 80

  /// Standard error's terminal; nil if it is not a terminal.
  static var current: OutputTerminal? { on(.standardError) }

  /// A stream's terminal; nil if it is not a terminal.
  static func on(_ stream: Output.Stream) -> OutputTerminal? {
    let descriptor = stream.rawValue
    guard Terminal.isTerminal(descriptor) else { return nil }
    var terminal = OutputTerminal(
      term: Environment.value("TERM"), noColour: Environment.value("NO_COLOR"),
      columns: { Terminal.width(descriptor) ?? usualColumns })
    terminal.rows = { Terminal.height(descriptor) }
    terminal.showsUTF8 = isUTF8(Environment.value)
    return terminal
  }

  /// Whether a locale's character encoding is UTF-8, according to the first non-empty variable (POSIX).
  static func isUTF8(_ variables: (String) -> String?) -> Bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { variables($0) }.first { !$0.isEmpty } ?? ""
    let encoding = locale.drop { $0 != "." }.prefix { $0 != "@" }.lowercased()
    return encoding == ".utf-8" || encoding == ".utf8"
  }

  /// - Parameters:
  ///   - term: The variable `TERM`. A terminal of an unknown type is assumed to have no capabilities.
  ///   - noColour: The variable `NO_COLOR`, ignored if empty.
  init(term: String?, noColour: String?, columns: @escaping @Sendable () -> Int) {
    obeysEscapes = term != nil && term != "" && term != "dumb"
    hasStyles = obeysEscapes && (noColour ?? "").isEmpty
    self.columns = columns
  }
}

/// A line below all others that is rewritten and finally erased.
///
/// It is always narrower than the terminal, so it never scrolls, and the cursor stays at its start. If the terminal
/// becomes narrower, some terminals wrap the line and others cut it; either way only this line lies between the cursor
/// and the end of the screen.
struct StatusLine {
  private let terminal: OutputTerminal
  private let tell: @Sendable (String) -> Void
  private var isShown = false

  /// - Parameter tell: Writes the text.
  init(_ terminal: OutputTerminal, tell: @escaping @Sendable (String) -> Void = Console.tell) {
    self.terminal = terminal
    self.tell = tell
  }

  /// Replaces the line with the first of these texts that fits, or with nothing.
  mutating func show(_ wordings: [String]) {
    guard terminal.obeysEscapes else { return }
    let columns = terminal.columns()
    guard let text = wordings.first(where: { $0.count < columns }) else { return erase() }
    tell("\(Self.clearing)\(text)\r")
    isShown = true
  }

  /// Erases the line; the next text starts at its position.
  mutating func erase() {
    if isShown { tell(Self.clearing) }
    isShown = false
  }

  private static let clearing = "\r\u{1B}[J"
}

/// The clipboard of the user's terminal, set with the escape sequence OSC 52, also over SSH.
enum Clipboard {
  /// The maximum length of a text: no code is longer, and terminals have different limits.
  static let mostBytes = 64

  /// The sequence that puts `text` into the clipboard.
  ///
  /// The text comes from a server. It must be 1 to ``mostBytes`` printable ASCII characters: pasted into a shell by
  /// mistake it must not run as a command.
  static func sequence(_ text: String) -> String? {
    let bytes = Array(text.utf8)
    guard (1...mostBytes).contains(bytes.count), bytes.allSatisfy(\.isVisibleASCII) else { return nil }
    return "\u{1B}]52;c;\(Base64.encode(bytes))\u{07}"
  }

  /// Sends `text` to the clipboard of the controlling terminal, which does not confirm it.
  ///
  /// - Returns: False if there is no terminal or the text is unsuitable.
  static func offer(_ text: String) -> Bool {
    guard let sequence = sequence(text), let terminal = try? Terminal.openControlling() else { return false }
    let bytes = Array(sequence.utf8)
    return (try? terminal.writeAll(bytes.span)) != nil
  }
}
