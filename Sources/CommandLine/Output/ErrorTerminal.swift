internal import Platform

/// The terminal on standard error: what it can do, and what its user wants.
struct ErrorTerminal: Sendable {
  /// Whether it obeys escape sequences, so that a line can be rewritten.
  var obeysEscapes: Bool

  /// Whether bold and colours are wanted.
  var hasStyles: Bool

  /// The width now; a person may change it at any time.
  var columns: @Sendable () -> Int

  /// The width of a terminal that does not tell it, as on a serial line.
  static let usualColumns = 80

  /// Standard error's terminal; nil when it is none.
  static var current: ErrorTerminal? {
    let descriptor = Output.Stream.standardError.rawValue
    guard Terminal.isTerminal(descriptor) else { return nil }
    return ErrorTerminal(
      term: Environment.value("TERM"), noColour: Environment.value("NO_COLOR"),
      columns: { Terminal.width(descriptor) ?? usualColumns })
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
