internal import Crypto
internal import Encoding

/// Reads a successful response. Secrets go directly to secret memory.
struct JSONResponseReader: ~Copyable {
  let root: JSONLayout.Node
  let subject: OAuthError.Subject
  let status: Int
  let arena: SecretArena?

  /// Throws the response's error, or `malformedResponse` unless type and content are JSON (RFC 6749 section 5.1).
  init(
    _ response: HTTPResponse, _ bytes: Span<UInt8>, subject: OAuthError.Subject, kind: RequestKind,
    sent: [SharedSecret],
    success: Set<Int> = [200], format: ResponseFormat = .init()
  ) throws(OAuthError) {
    let answer = ErrorResponse.read(response, sent: sent, format: format)
    guard answer == nil, success.contains(response.status) else {
      throw OAuthError.forResponse(response, answer, subject, kind: kind, sent: sent, format: format)
    }
    let layout = try? JSONLayout(parsing: bytes)
    guard response.headers.isJSON else {
      throw OAuthError.notJSON(response, subject, sent: sent, isObject: layout?.root.kind == .object)
    }
    guard let layout, layout.root.kind == .object else {
      throw OAuthError(.malformedResponse, subject, httpStatus: response.status)
    }
    root = layout.root
    self.subject = subject
    status = response.status
    arena = response.body.arena
  }

  /// Nil if absent or null.
  func member(_ name: String) -> JSONLayout.Node? {
    root[name].flatMap { $0.kind == .null ? nil : $0 }
  }

  /// A string member; nil if absent or null.
  func text(_ name: String, in bytes: Span<UInt8>) throws(OAuthError) -> String? {
    guard let node = member(name) else { return nil }
    guard let text = node.string(in: bytes) else { throw malformed(name) }
    return text
  }

  /// Copies a string member to secret memory; nil if absent, null or empty. Throws for bytes outside `allowed`.
  func secret(_ name: String, in bytes: Span<UInt8>, allowed: ClosedRange<UInt8>) throws(OAuthError) -> SharedSecret? {
    guard let node = member(name), node.stringByteCount != 0 else { return nil }
    let secret: SharedSecret?
    do { secret = try Self.secret(node, in: bytes, arena, allowed: allowed) } catch {
      throw OAuthError(.noMemory, subject)
    }
    guard let secret else { throw malformed(name) }
    return secret
  }

  /// Copies a string to secret memory in `arena`. Nil if empty or with bytes outside `allowed`.
  static func secret(
    _ node: JSONLayout.Node, in bytes: Span<UInt8>, _ arena: SecretArena?, allowed: ClosedRange<UInt8>
  ) throws(CryptoError) -> SharedSecret? {
    guard let count = node.stringByteCount, count > 0 else { return nil }
    var buffer = SecretBuffer(capacity: count, in: arena)
    node.appendString(in: bytes, to: &buffer)
    let secret = try buffer.finish()
    let isClean = secret.withBytes { value in value.indices.allSatisfy { allowed.contains(value[$0]) } }
    return isClean ? SharedSecret(secret) : nil
  }

  func seconds(_ name: String, in bytes: Span<UInt8>) throws(OAuthError) -> Int? {
    guard let node = member(name) else { return nil }
    guard let seconds = Seconds.parse(node.value(in: bytes)) else { throw malformed(name) }
    return seconds
  }

  func malformed(_ name: String) -> OAuthError {
    OAuthError(.malformedResponse, .member(name, of: subject), httpStatus: status)
  }
}
