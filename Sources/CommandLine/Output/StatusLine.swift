/// One line below all others that is rewritten and in the end taken away.
///
/// It is always narrower than the terminal, so it never scrolls, and the cursor rests at its start.
/// When the terminal becomes narrower, one kind breaks the line in two and another cuts it; either
/// way all of it, and nothing else, lies from the cursor to the end of the screen.
struct StatusLine {
  private let terminal: ErrorTerminal
  private let tell: @Sendable (String) -> Void
  private var isShown = false

  /// - Parameter tell: Where the text goes.
  init(_ terminal: ErrorTerminal, tell: @escaping @Sendable (String) -> Void = Console.tell) {
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
