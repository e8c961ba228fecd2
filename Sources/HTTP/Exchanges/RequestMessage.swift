internal import Crypto
internal import Encoding
internal import OAuth

/// Serializes an HTTP/1.1 request (RFC 9112) for a connection that ends with its response.
enum RequestMessage {
  /// - Throws: `setup` without a body or for a line break in a field; or `memory`.
  static func bytes(of request: borrowing HTTPRequest, userAgent: String) throws(HTTPFailure) -> SecretBytes {
    let uri = request.endpoint.uri
    var message = SecretBuffer(capacity: 4096, limit: SecretBytes.maximumCount)
    message.append(utf8: "\(request.method.rawValue) \(uri.path.isEmpty ? "/" : uri.path)")
    if let query = uri.query { message.append(utf8: "?\(query)") }
    message.append(utf8: " HTTP/1.1\r\n")
    for (name, value) in [
      // Otherwise, a server may use any coding.
      ("Host", uri.authority), ("User-Agent", userAgent), ("Accept", request.accept), ("Accept-Encoding", "identity"),
      ("Connection", "close"),
      ("Content-Type", request.isJSON ? "application/json" : "application/x-www-form-urlencoded"),
    ] {
      try append(name, value, to: &message)
    }
    try request.authorization?.withBytes { (value) throws(HTTPFailure) in
      try append("Authorization", value, to: &message)
    }
    if let proof = request.proof { try append("DPoP", proof, to: &message) }
    switch request.form {
    case .some(let form):
      try append("Content-Length", "\(form.count)", to: &message)
      message.append(utf8: "\r\n")
      form.withBytes { message.append(contentsOf: $0) }
    case .none: throw HTTPFailure(.setup)
    }
    do { return try message.finish() } catch { throw HTTPFailure(.memory) }
  }

  private static func append(_ name: String, _ value: String, to message: inout SecretBuffer) throws(HTTPFailure) {
    let bytes = value.utf8
    try append(name, bytes.span, to: &message)
  }

  private static func append(
    _ name: String, _ value: Span<UInt8>, to message: inout SecretBuffer
  ) throws(HTTPFailure) {
    for index in value.indices where value[index] == 0 || value[index] == 0x0D || value[index] == 0x0A {
      throw HTTPFailure(.setup)
    }
    message.append(utf8: "\(name): ")
    message.append(contentsOf: value)
    message.append(utf8: "\r\n")
  }
}
