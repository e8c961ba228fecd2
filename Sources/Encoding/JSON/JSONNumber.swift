/// A JSON number as written (RFC 8259 section 6). `1` and `1.0` are not equal.
package struct JSONNumber: Sendable, Hashable {
  package let text: String

  package init(_ int: Int) {
    text = String(int)
  }

  /// `text` was accepted by the parser.
  init(checked text: String) {
    self.text = text
  }

  /// The value of a whole number in any notation, such as `3.6e3`. Nil for a fraction or outside `Int`.
  package var int: Int? {
    if let few = shortInteger { return few }
    guard let decimal = Decimal(text), decimal.fraction == .none else { return nil }
    return decimal.signed(decimal.whole)
  }

  /// Nil if outside `Int` or longer than 32 characters.
  package func rounded(_ rule: FloatingPointRoundingRule) -> Int? {
    if let few = shortInteger { return few }
    guard let decimal = Decimal(text) else { return nil }
    guard decimal.fraction != .none, decimal.roundsAwayFromZero(rule) else { return decimal.signed(decimal.whole) }
    return decimal.signed(decimal.whole + 1)
  }

  /// The value if the text is at most 18 digits.
  private var shortInteger: Int? {
    let view = text.utf8
    guard view.count <= 18 else { return nil }
    var value = 0
    for byte in view {
      guard case UInt8(ascii: "0")...UInt8(ascii: "9") = byte else { return nil }
      value = value * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return value
  }

  private struct Decimal {
    /// The part after the decimal point.
    enum Fraction { case none, belowHalf, half, aboveHalf }

    var isNegative = false
    /// At most 19 digits.
    var whole: UInt64 = 0
    var fraction = Fraction.none

    /// Nil if longer than 32 characters, or 19 digits before the point.
    init?(_ text: String) {
      let view = text.utf8
      guard view.count <= 32 else { return nil }
      var digits: [UInt8] = []
      var exponent = 0
      var rest = view[...]
      isNegative = rest.first == UInt8(ascii: "-")
      if isNegative { rest.removeFirst() }
      var isAfterPoint = false
      while let byte = rest.popFirst() {
        if byte == UInt8(ascii: ".") {
          isAfterPoint = true
        } else if byte | 0x20 == UInt8(ascii: "e") {
          exponent += Decimal.exponent(rest)
          break
        } else {
          if !digits.isEmpty || byte != UInt8(ascii: "0") { digits.append(byte - UInt8(ascii: "0")) }
          if isAfterPoint { exponent -= 1 }
        }
      }
      while digits.last == 0 {
        digits.removeLast()
        exponent += 1
      }
      if !digits.isEmpty { guard split(digits, exponent) else { return nil } }
    }

    /// Clamped to ±10,000 to prevent overflow.
    private static func exponent(_ text: Substring.UTF8View) -> Int {
      var magnitude = 0
      for byte in text where byte >= UInt8(ascii: "0") {
        magnitude = min(magnitude * 10 + Int(byte - UInt8(ascii: "0")), 10_000)
      }
      return text.first == UInt8(ascii: "-") ? -magnitude : magnitude
    }

    /// Splits `digits` × 10^`exponent` at the decimal point. `digits` neither begin nor end with zero. Returns false
    /// beyond 19 digits before the point.
    private mutating func split(_ digits: [UInt8], _ exponent: Int) -> Bool {
      let wholeCount = digits.count + exponent
      guard wholeCount <= 19 else { return false }
      for position in 0..<max(wholeCount, 0) {
        whole = whole * 10 + UInt64(position < digits.count ? digits[position] : 0)
      }
      guard exponent < 0 else { return true }
      let first = wholeCount < 0 ? 0 : digits[wholeCount]
      switch first {
      case 0..<5: fraction = .belowHalf
      case 5: fraction = wholeCount + 1 == digits.count ? .half : .aboveHalf
      default: fraction = .aboveHalf
      }
      return true
    }

    /// Whether the rule rounds this fraction away from zero.
    func roundsAwayFromZero(_ rule: FloatingPointRoundingRule) -> Bool {
      switch rule {
      case .up: !isNegative
      case .down: isNegative
      case .towardZero: false
      case .awayFromZero: true
      case .toNearestOrAwayFromZero: fraction != .belowHalf
      case .toNearestOrEven: fraction == .aboveHalf || fraction == .half && whole % 2 == 1
      @unknown default: false
      }
    }

    /// Nil if out of range.
    func signed(_ magnitude: UInt64) -> Int? {
      guard isNegative else { return Int(exactly: magnitude) }
      return magnitude == Int.min.magnitude ? Int.min : Int(exactly: magnitude).map { -$0 }
    }
  }
}
