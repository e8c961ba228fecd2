internal import Encoding

/// Hosts to reach without a proxy, as in curl's `no_proxy`: names include subdomains, `*` matches all, and leading or
/// final dots are ignored.
package struct ProxyExclusions {
  private let entries: [ArraySlice<UInt8>]

  package init(_ list: String) {
    entries = Array(list.lowercased().utf8).split { $0 == 0x2C || $0 == 0x20 || $0 == 0x09 }
  }

  /// Whether to reach a host directly. IPv6 addresses have brackets.
  package func excludes(_ host: String) -> Bool {
    let bytes = Array(host.lowercased().utf8)
    let name = bytes.first == UInt8(ascii: "[") ? bytes.dropFirst().dropLast() : Self.withoutFinalDot(bytes[...])
    let address = IPAddress(name)
    return entries.contains { entry in
      if entry.elementsEqual("*".utf8) { return true }
      if let address { return Self.matches(entry, address) }
      let entry = Self.withoutFinalDot(entry.first == UInt8(ascii: ".") ? entry.dropFirst() : entry)
      return !entry.isEmpty && name.reversed().starts(with: entry.reversed())
        && (name.count == entry.count || name.dropLast(entry.count).last == UInt8(ascii: "."))
    }
  }

  private static func matches(_ entry: ArraySlice<UInt8>, _ address: IPAddress) -> Bool {
    let parts = entry.split(separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false)
    guard let network = parts.first.flatMap({ IPAddress($0) }) else { return false }
    let length = parts.count == 1 ? network.bytes.count * 8 : Int(String(decoding: parts[1], as: UTF8.self))
    return length.map { address.isIn(network, prefixLength: $0) } ?? false
  }

  private static func withoutFinalDot(_ name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    name.last == UInt8(ascii: ".") ? name.dropLast() : name
  }
}
