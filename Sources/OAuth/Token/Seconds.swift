internal import Encoding

enum Seconds {
  /// Ten years. More is treated as a mistake.
  static let maximum = 10 * 366 * 86_400

  /// Rounds down a number or a string of digits. Nil unless 0 to ``maximum``.
  static func parse(_ value: JSON) -> Int? {
    let seconds: Int?
    switch value {
    case .number(let number): seconds = number.rounded(.down)
    case .string(let text):
      let isPlain = (1...10).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
      seconds = isPlain ? Int(text) : nil
    default: seconds = nil
    }
    guard let seconds, (0...maximum).contains(seconds) else { return nil }
    return seconds
  }
}
