internal import Encoding
internal import Platform
internal import Wire

/// The terminal on standard output or standard error: what it can do, and what its user wants.
struct OutputTerminal: Sendable {
  /// Whether it obeys escape sequences, so that a line can be rewritten.
  var obeysEscapes: Bool

  /// Whether bold and colours are wanted.
  var hasStyles: Bool

  /// The width now; a person may change it at any time.
  var columns: @Sendable () -> Int

  /// The height now; nil when the terminal does not tell it.
  var rows: @Sendable () -> Int? = { nil }

  /// Whether it shows characters beyond ASCII, by the locale.
  var showsUTF8 = false

  /// The width of a terminal that does not tell it, as on a serial line.
  static let usualColumns = 80

  /// Standard error's terminal; nil when it is none.
  static var current: OutputTerminal? { on(.standardError) }

  /// A stream's terminal; nil when it is none.
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

  /// Whether a locale's character encoding is UTF-8: the first variable that is not empty counts (POSIX).
  static func isUTF8(_ variables: (String) -> String?) -> Bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { variables($0) }.first { !$0.isEmpty } ?? ""
    let encoding = locale.drop { $0 != "." }.prefix { $0 != "@" }.lowercased()
    return encoding == ".utf-8" || encoding == ".utf8"
  }

  /// - Parameters:
  ///   - term: The variable `TERM`. A terminal of an unknown kind is treated as one that can do nothing.
  ///   - noColour: The variable `NO_COLOR`, which counts unless it is empty.
  init(term: String?, noColour: String?, columns: @escaping @Sendable () -> Int) {
    obeysEscapes = term != nil && term != "" && term != "dumb"
    hasStyles = obeysEscapes && (noColour ?? "").isEmpty
    self.columns = columns
  }
}

/// One line below all others that is rewritten and in the end taken away.
///
/// It is always narrower than the terminal, so it never scrolls, and the cursor rests at its start.
/// When the terminal becomes narrower, one kind breaks the line in two and another cuts it; either
/// way all of it, and nothing else, lies from the cursor to the end of the screen.
struct StatusLine {
  private let terminal: OutputTerminal
  private let tell: @Sendable (String) -> Void
  private var isShown = false

  /// - Parameter tell: Where the text goes.
  init(_ terminal: OutputTerminal, tell: @escaping @Sendable (String) -> Void = Console.tell) {
    self.terminal = terminal
    self.tell = tell
  }

  /// Shows the first of these texts that fits, or none; in place of what was shown.
  mutating func show(_ wordings: [String]) {
    guard terminal.obeysEscapes else { return }
    let columns = terminal.columns()
    guard let text = wordings.first(where: { $0.count < columns }) else { return erase() }
    tell("\(Self.clearing)\(text)\r")
    isShown = true
  }

  /// Takes the line away; the next text begins where it began.
  mutating func erase() {
    if isShown { tell(Self.clearing) }
    isShown = false
  }

  private static let clearing = "\r\u{1B}[J"
}

/// The clipboard of the person's terminal, reached by the escape sequence OSC 52, also over SSH.
enum Clipboard {
  /// The longest text that is offered: no code is longer, and terminals differ in what they take.
  static let mostBytes = 64

  /// The sequence that puts `text` into the clipboard.
  ///
  /// The text comes from a server. It goes in only if it is 1 to ``mostBytes`` printable ASCII characters:
  /// pasted into a shell by mistake it must not run as a command.
  static func sequence(_ text: String) -> String? {
    let bytes = Array(text.utf8)
    guard (1...mostBytes).contains(bytes.count), bytes.allSatisfy(\.isVisibleASCII) else { return nil }
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
