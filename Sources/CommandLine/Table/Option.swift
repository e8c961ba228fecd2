/// One option as the parser, the help and the manual see it.
struct Option: Sendable {
  /// What an option takes.
  enum Value: Sendable {
    /// Nothing: the option is a switch.
    case none
    /// Any text; the associated value names it in the usage line.
    case text(String)
    /// The name of a file.
    case file(String)
    /// A length of time of so many seconds, written as in ``DurationText``.
    case duration(ClosedRange<Int>)
    /// The same, or the word `never`, which counts as no seconds.
    case durationOrNever(ClosedRange<Int>)
    /// One of a few words.
    case choice(String, [String])
  }

  let name: OptionName

  /// The one-letter spelling, if there is one.
  var short: Character?
  var value: Value = .none

  /// Whether every occurrence counts; without it the last one wins.
  var repeats = false

  /// What the option does: a sentence without its full stop.
  let summary: String

  /// What the value is called in usage lines; nil for a switch.
  var metavar: String? {
    switch value {
    case .none: nil
    case .text(let metavar), .file(let metavar), .choice(let metavar, _): metavar
    case .duration, .durationOrNever: "DURATION"
    }
  }
}
