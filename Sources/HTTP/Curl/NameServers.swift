internal import Platform

/// The name servers of this machine (resolv.conf(5)).
enum NameServers {
  /// The C library uses no more.
  private static let maximumServers = 3

  /// From `/etc/resolv.conf`, separated by commas. Nil if none.
  static var list: String? {
    (try? FileDescriptor.content(of: "/etc/resolv.conf", limit: 65_536)).flatMap { list(in: $0) }
  }

  static func list(in text: [UInt8]) -> String? {
    var found: [String] = []
    for line in text.split(separator: UInt8(ascii: "\n")) where found.count < maximumServers {
      let words = line.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
      guard words.count >= 2, words[0].elementsEqual("nameserver".utf8) else { continue }
      let isAddress = words[1].allSatisfy { $0 > 0x20 && $0 < 0x7F }
      if isAddress, words[1].count <= 64 { found.append(String(decoding: words[1], as: UTF8.self)) }
    }
    return found.isEmpty ? nil : found.joined(separator: ", ")
  }
}
