/// A request as the server got it.
struct ReceivedRequest: Sendable, Hashable {
  /// `GET /path HTTP/1.1`.
  var line: String
  /// The header lines, in order.
  var headers: [String]
  var body: String

  /// The values of a header field.
  func values(_ name: String) -> [String] {
    let prefix = name.lowercased() + ":"
    return headers.filter { $0.lowercased().hasPrefix(prefix) }.map { line in
      String(line.dropFirst(prefix.count).drop { $0 == " " })
    }
  }
}
