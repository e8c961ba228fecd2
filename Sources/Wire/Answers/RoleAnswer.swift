package import Encoding

/// The response to an ``AssumeRoleRequest``. Its secrets are never in a `String`.
package struct RoleAnswer: Sendable {
  package let accessKeyID: String
  /// In unix seconds.
  package let expiresAt: Int
  private let secretAccessKey: JSONLayout.Node
  private let sessionToken: JSONLayout.Node

  /// - Throws: The daemon's failure, or `internal_error`.
  package init(parsing line: Span<UInt8>) throws(Failure) {
    let result = try JSONLayout.result(in: line)
    guard let accessKeyID = result["access_key_id"]?.string(in: line),
      let expiresAt = result["expires_at"]?.value(in: line).int, let secret = result["secret_access_key"],
      let session = result["session_token"], secret.isString, session.isString
    else { throw Reply.unreadable }
    self.accessKeyID = accessKeyID
    self.expiresAt = expiresAt
    secretAccessKey = secret
    sessionToken = session
  }

  package func appendSecretAccessKey<Sink: ByteSink & ~Copyable>(from line: Span<UInt8>, to sink: inout Sink) {
    secretAccessKey.appendString(in: line, to: &sink)
  }

  package func appendSessionToken<Sink: ByteSink & ~Copyable>(from line: Span<UInt8>, to sink: inout Sink) {
    sessionToken.appendString(in: line, to: &sink)
  }

  /// Writes the response line, with secrets directly to `sink`.
  package static func append<Sink: ByteSink & ~Copyable>(
    account: String, accessKeyID: String, secretAccessKey: Span<UInt8>, sessionToken: Span<UInt8>, expiresAt: Int,
    to sink: inout Sink
  ) {
    sink.append(utf8: WireProtocol.resultStart)
    sink.append(utf8: "\"account\":")
    sink.append(jsonString: account)
    sink.append(member: "access_key_id", .string(accessKeyID))
    sink.append(member: "secret_access_key", bytes: secretAccessKey)
    sink.append(member: "session_token", bytes: sessionToken)
    sink.append(member: "expires_at", .int(expiresAt))
    sink.append(utf8: "}}\n")
  }
}
