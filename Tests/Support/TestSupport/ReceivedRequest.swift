package struct ReceivedRequest: Sendable, Hashable {
  /// The request line, such as `GET /path HTTP/1.1`.
  package var line: String
  /// The header lines, in order.
  package var headers: [String]
  package var body: String

  package init(line: String, headers: [String], body: String) {
    self.line = line
    self.headers = headers
    self.body = body
  }

  package func values(_ name: String) -> [String] {
    let prefix = name.lowercased() + ":"
    return headers.filter { $0.lowercased().hasPrefix(prefix) }.map { line in
      String(line.dropFirst(prefix.count).drop { $0 == " " })
    }
  }
}
