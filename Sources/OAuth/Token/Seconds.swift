internal import Encoding

/// Spans of time as servers write them.
enum Seconds {
  /// Ten years. A longer span is no span but a mistake.
  static let longest = 10 * 366 * 86_400

  /// Seconds from 0 to ``longest``, as a number or as a string of digits, which some servers send; nil for anything
  /// else. A fraction is cut off, so that nothing lives longer than it was told to.
  static func whole(_ value: JSON) -> Int? {
    let seconds: Int?
    switch value {
    case .number(let number): seconds = number.rounded(.down)
    case .string(let text):
      let isPlain = (1...10).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
      seconds = isPlain ? Int(text) : nil
    default: seconds = nil
    }
    guard let seconds, (0...longest).contains(seconds) else { return nil }
    return seconds
  }
}
