package import Encoding

/// The response to an ``AssumeRoleRequest``: temporary AWS credentials. Its secrets are never in a `String`.
package struct RoleAnswer: Sendable {
  package let accessKeyID: String
  /// In unix seconds.
  package let expiresAt: Int
  /// The secret's position in the line.
  private let secretAccessKey: JSONLayout.Node
  /// The token's position in the line.
  private let sessionToken: JSONLayout.Node

  /// Parses a response line.
  ///
  /// - Throws: The daemon's failure, or `internal_error` for an invalid line.
  package init(parsing line: Span<UInt8>) throws(Failure) {
    guard let layout = try? JSONLayout(parsing: line) else { throw Reply.unreadable }
    guard let result = layout.root["result"] else {
      if case .failure(let failure) = try Reply(parsing: line) { throw failure }
      throw Reply.unreadable
    }
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

  /// Writes the response line. Secrets are written directly to `sink`.
  package static func append<Sink: ByteSink & ~Copyable>(
    account: String, accessKeyID: String, secretAccessKey: Span<UInt8>, sessionToken: Span<UInt8>, expiresAt: Int,
    to sink: inout Sink
  ) {
    sink.append(utf8: WireProtocol.resultStart)
    sink.append(utf8: "\"account\":")
    sink.append(jsonString: account)
    sink.append(utf8: ",\"access_key_id\":")
    sink.append(jsonString: accessKeyID)
    sink.append(utf8: ",\"secret_access_key\":")
    sink.append(jsonStringBytes: secretAccessKey)
    sink.append(utf8: ",\"session_token\":")
    sink.append(jsonStringBytes: sessionToken)
    sink.append(utf8: ",\"expires_at\":\(expiresAt)}}\n")
  }
}
