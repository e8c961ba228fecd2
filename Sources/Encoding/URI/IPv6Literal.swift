/// IPv6 addresses as text (RFC 3986 section 3.2.2, RFC 4291 section 2.2).
enum IPv6Literal {
  /// Whether `text`, without brackets, is an address. Zones (RFC 6874) are not accepted.
  static func isValid(_ text: ArraySlice<UInt8>) -> Bool {
    guard text.count <= 45 else { return false }
    let halves = splitAtDoubleColon(text)
    switch halves.count {
    case 1:
      return groups(halves[0], mayEndInIPv4: true) == 8
    case 2:
      guard let before = groups(halves[0], mayEndInIPv4: false), let after = groups(halves[1], mayEndInIPv4: true)
      else { return false }
      return before + after <= 7
    default:
      return false
    }
  }

  private static func splitAtDoubleColon(_ text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    let colon = UInt8(ascii: ":")
    for index in text.indices.dropLast() where text[index] == colon && text[index + 1] == colon {
      return [text[..<index], text[(index + 2)...]]
    }
    return [text]
  }

  /// The number of 16-bit groups in a list; nil if it is malformed.
  private static func groups(_ text: ArraySlice<UInt8>, mayEndInIPv4: Bool) -> Int? {
    guard !text.isEmpty else { return 0 }
    var parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    var count = 0
    if mayEndInIPv4, let last = parts.last, isIPv4(last) {
      parts.removeLast()
      count = 2
    }
    guard parts.allSatisfy(isGroup) else { return nil }
    return count + parts.count
  }

  private static func isGroup(_ text: ArraySlice<UInt8>) -> Bool {
    (1...4).contains(text.count) && text.allSatisfy { HexDigit.value($0) != nil }
  }

  /// Four decimal numbers up to 255 without leading zeros.
  private static func isIPv4(_ text: ArraySlice<UInt8>) -> Bool {
    let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy(isIPv4Part)
  }

  private static func isIPv4Part(_ text: ArraySlice<UInt8>) -> Bool {
    guard (1...3).contains(text.count), text.count == 1 || text.first != UInt8(ascii: "0") else { return false }
    var value = 0
    for byte in text {
      guard let digit = HexDigit.value(byte), digit < 10 else { return false }
      value = value * 10 + Int(digit)
    }
    return value <= 255
  }
}
