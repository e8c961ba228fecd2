/// An IP address, read from text (RFC 3986 section 3.2.2, RFC 4291 section 2.2).
package struct IPAddress: Sendable, Hashable {
  /// In network byte order: 4 bytes for IPv4, 16 for IPv6.
  package let bytes: [UInt8]

  /// - Parameter text: Four decimal numbers without leading zeros, or an IPv6 address without brackets or zone (RFC
  ///   6874).
  package init?(_ text: some Collection<UInt8>) {
    guard text.count <= 45 else { return nil }
    let text = Array(text)
    guard let bytes = Self.ipv4(text[...]) ?? Self.ipv6(text) else { return nil }
    self.bytes = bytes
  }

  /// Whether the first `length` bits equal those of `network`. False for different families.
  package func isIn(_ network: IPAddress, prefixLength length: Int) -> Bool {
    guard bytes.count == network.bytes.count, (0...(bytes.count * 8)).contains(length) else { return false }
    let (whole, rest) = (length / 8, length % 8)
    guard bytes[..<whole] == network.bytes[..<whole] else { return false }
    return rest == 0 || (bytes[whole] ^ network.bytes[whole]) >> (8 - rest) == 0
  }

  private static func ipv6(_ text: [UInt8]) -> [UInt8]? {
    guard let gap = gap(in: text) else {
      return groups(text[...], mayEndInIPv4: true).flatMap { $0.count == 16 ? $0 : nil }
    }
    guard let before = groups(text[..<gap], mayEndInIPv4: false),
      let after = groups(text[(gap + 2)...], mayEndInIPv4: true), before.count + after.count <= 14
    else { return nil }
    return before + [UInt8](repeating: 0, count: 16 - before.count - after.count) + after
  }

  /// The index of the first `::`.
  private static func gap(in text: [UInt8]) -> Int? {
    text.indices.dropLast().first { text[$0] == UInt8(ascii: ":") && text[$0 + 1] == UInt8(ascii: ":") }
  }

  /// The bytes of a list of 16-bit groups. Nil if malformed.
  private static func groups(_ text: ArraySlice<UInt8>, mayEndInIPv4: Bool) -> [UInt8]? {
    guard !text.isEmpty else { return [] }
    var bytes: [UInt8] = []
    let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      if mayEndInIPv4, index == parts.count - 1, let last = ipv4(part) { return bytes + last }
      guard (1...4).contains(part.count) else { return nil }
      var group: UInt16 = 0
      for byte in part {
        guard let digit = HexDigit.value(byte) else { return nil }
        group = group << 4 | UInt16(digit)
      }
      bytes += [UInt8(group >> 8), UInt8(group & 0xFF)]
    }
    return bytes
  }

  private static func ipv4(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    let bytes = parts.compactMap(ipv4Part)
    return bytes.count == 4 ? bytes : nil
  }

  private static func ipv4Part(_ text: ArraySlice<UInt8>) -> UInt8? {
    guard (1...3).contains(text.count), text.count == 1 || text.first != UInt8(ascii: "0") else { return nil }
    var value = 0
    for byte in text {
      guard let digit = HexDigit.value(byte), digit < 10 else { return nil }
      value = value * 10 + Int(digit)
    }
    return UInt8(exactly: value)
  }
}
