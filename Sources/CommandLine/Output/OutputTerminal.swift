internal import Platform

/// A terminal's capabilities, and the user's preferences.
struct OutputTerminal: Sendable {
  var canRewriteLines: Bool

  var hasStyles: Bool

  var columns: @Sendable () -> Int

  /// Nil if unknown.
  var rows: @Sendable () -> Int? = { nil }

  var showsUTF8 = false

  /// For a terminal that reports no width, such as a serial line.
  static let defaultColumns = 80

  /// The terminal on standard error, if any.
  static var current: OutputTerminal? { on(.standardError) }

  static func on(_ stream: Output.Stream) -> OutputTerminal? {
    let descriptor = stream.rawValue
    guard Terminal.isTerminal(descriptor) else { return nil }
    var terminal = OutputTerminal(
      term: Environment.value("TERM"), noColour: Environment.value("NO_COLOR"),
      columns: { Terminal.width(descriptor) ?? defaultColumns })
    terminal.rows = { Terminal.height(descriptor) }
    terminal.showsUTF8 = isUTF8(Environment.value)
    return terminal
  }

  /// Whether `LC_ALL`, `LC_CTYPE` and `LANG` specify UTF-8.
  static func isUTF8(_ variables: (String) -> String?) -> Bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { variables($0) }.first { !$0.isEmpty } ?? ""
    let encoding = locale.drop { $0 != "." }.prefix { $0 != "@" }.lowercased()
    return encoding == ".utf-8" || encoding == ".utf8"
  }

  /// An unset, empty or `dumb` terminal (`TERM`) has no capabilities. `NO_COLOR` is ignored if empty.
  init(term: String?, noColour: String?, columns: @escaping @Sendable () -> Int) {
    canRewriteLines = term != nil && term != "" && term != "dumb"
    hasStyles = canRewriteLines && (noColour ?? "").isEmpty
    self.columns = columns
  }
}

/// A line at the bottom, rewritten and finally erased. Narrower than the terminal, it never scrolls.
struct StatusLine {
  private let terminal: OutputTerminal
  private let write: @Sendable (String) -> Void
  private var isShown = false

  init(_ terminal: OutputTerminal, write: @escaping @Sendable (String) -> Void = Console.printToStandardError) {
    self.terminal = terminal
    self.write = write
  }

  /// Shows the first text that fits, or nothing.
  mutating func show(_ wordings: [String]) {
    guard terminal.canRewriteLines else { return }
    let columns = terminal.columns()
    guard let text = wordings.first(where: { $0.count < columns }) else { return erase() }
    write("\(Self.eraseSequence)\(text)\r")
    isShown = true
  }

  mutating func erase() {
    if isShown { write(Self.eraseSequence) }
    isShown = false
  }

  private static let eraseSequence = "\r\u{1B}[J"
}
