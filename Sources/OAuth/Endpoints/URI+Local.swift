internal import Encoding

extension URI {
  /// Whether the host is `localhost`, or an address not globally routed (RFC 6890), even if oddly written. Does not
  /// resolve names.
  var isLocal: Bool {
    let name = host.lowercased()
    if name.utf8.first == UInt8(ascii: "[") { return !Self.isGlobalIPv6(name) }
    let labels = name.split(separator: ".")
    guard let last = labels.last else { return true }
    if last == "localhost" { return true }
    // Resolvers accept more than four decimal numbers (RFC 3986 section 3.2.2).
    guard last.utf8.allSatisfy({ (0x30...0x39).contains($0) }) || last.hasPrefix("0x") else { return false }
    let octets = labels.compactMap { UInt8($0) }
    guard octets.count == 4, labels.count == 4, zip(labels, octets).allSatisfy({ $0 == String($1) }) else {
      return true
    }
    return Self.isLocal(octets)
  }

  private static func isLocal(_ address: [UInt8]) -> Bool {
    switch (address[0], address[1]) {
    case (0, _), (10, _), (127, _), (100, 64...127), (169, 254), (172, 16...31), (192, 168), (198, 18...19): true
    case (192, 0): address[2] == 0
    default: address[0] >= 224
    }
  }

  /// Global addresses begin with the bits 001 (RFC 4291 section 2.4).
  private static func isGlobalIPv6(_ literal: String) -> Bool {
    let group = literal.dropFirst().prefix { $0 != ":" }
    return group.utf8.count == 4 && (group.hasPrefix("2") || group.hasPrefix("3"))
  }
}
