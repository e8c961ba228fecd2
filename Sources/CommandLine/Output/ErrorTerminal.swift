internal import Platform

/// The terminal on standard error: what it can do, and what its user wants.
struct ErrorTerminal: Sendable {
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
  static var current: ErrorTerminal? {
    let descriptor = Output.Stream.standardError.rawValue
    guard Terminal.isTerminal(descriptor) else { return nil }
    var terminal = ErrorTerminal(
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
