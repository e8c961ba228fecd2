extension URI {
  /// Resolves a reference against this URI (RFC 3986 section 5.2), without the fragment. Nil if invalid or with dot
  /// segments, which no server needs to send.
  package func resolving(_ reference: String) -> URI? {
    let bytes = Array(reference.utf8.prefix { $0 != UInt8(ascii: "#") })
    let text = String(decoding: bytes, as: UTF8.self)
    guard let resolved = try? URI(absolute(text)), !resolved.hasDotSegments else { return nil }
    return resolved
  }

  private func absolute(_ reference: String) -> String {
    let base = String(decoding: text.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }, as: UTF8.self)
    let root = String(decoding: base.utf8.dropLast(path.utf8.count), as: UTF8.self)
    if reference.isEmpty { return base + (query.map { "?" + $0 } ?? "") }
    if reference.utf8.starts(with: "//".utf8) { return "\(scheme):\(reference)" }
    if reference.utf8.first == UInt8(ascii: "/") { return root + reference }
    if reference.utf8.first == UInt8(ascii: "?") { return base + reference }
    if Self.hasScheme(reference) { return reference }
    let directory = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? "/"
    return root + directory + reference
  }

  private static func hasScheme(_ reference: String) -> Bool {
    let end = reference.utf8.firstIndex { ":/?".utf8.contains($0) }
    return end.map { reference.utf8[$0] == UInt8(ascii: ":") } ?? false
  }

  package var hasDotSegments: Bool { Self.hasDotSegments(inPath: path) }

  /// Whether a segment is "." or "..", even percent-encoded (RFC 3986 section 6.2.2.2).
  package static func hasDotSegments(inPath path: String) -> Bool {
    let dots = [".", "%2e", "..", ".%2e", "%2e.", "%2e%2e"]
    return path.lowercased().utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .contains { segment in dots.contains { segment.elementsEqual($0.utf8) } }
  }

  /// Percent-encodes all but slashes and segment characters (RFC 3986 sections 2.1 and 3.3).
  package static func encodedPath(_ bytes: [UInt8]) -> String {
    let encoded = bytes.flatMap { byte in
      byte.isASCIIAlphanumeric || "-._~!$&'()*+,;=:@/".utf8.contains(byte)
        ? [byte] : [UInt8(ascii: "%"), HexDigit.upper(byte >> 4), HexDigit.upper(byte & 15)]
    }
    return String(decoding: encoded, as: UTF8.self)
  }
}
