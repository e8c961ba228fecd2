extension Request {
  /// The value of one of our cookies. Cookies of all ports of a host come together, so others may be
  /// there (RFC 6265 section 8.5).
  func cookie(_ name: String) -> OpaqueKey? {
    for pair in headers.values(of: "cookie").flatMap({ $0.split(separator: ";") }) {
      let parts = pair.split(separator: "=", maxSplits: 1)
      if parts.count == 2, ASCII.trimmed(parts[0]) == name, let key = OpaqueKey(text: String(parts[1])) {
        return key
      }
    }
    return nil
  }
}
