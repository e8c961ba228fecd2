package import Crypto
internal import Encoding

/// An AWS role to assume with a token (`AssumeRoleWithWebIdentity`).
package struct WebIdentityRole: Sendable, Hashable {
  package let arn: String
  package let sessionName: String
  /// The lifetime in seconds; nil for the service's default.
  package let seconds: Int?

  /// Nil unless the service accepts the values: an ARN of 20 to 2048 bytes, a name of 2 to 64 letters, digits and
  /// `+=,.@-_`, and 15 minutes to 12 hours.
  package init?(arn: String, sessionName: String, seconds: Int?) {
    guard (20...2048).contains(arn.utf8.count), arn.utf8.allSatisfy(\.isVisibleASCII),
      (2...64).contains(sessionName.utf8.count),
      sessionName.utf8.allSatisfy({ $0.isASCIIAlphanumeric || "_+=,.@-".utf8.contains($0) }),
      seconds.map({ (900...43_200).contains($0) }) ?? true
    else { return nil }
    self.arn = arn
    self.sessionName = sessionName
    self.seconds = seconds
  }

  package struct Credentials: Sendable {
    package let accessKeyID: String
    package let secretAccessKey: SealedSecret
    package let sessionToken: SealedSecret
    /// In unix seconds.
    package let expiresAt: Int
  }

  /// Exchanges a token for credentials, without redirects.
  package func assume(
    with token: SharedSecret, at endpoint: Endpoint, transport: Transport, http: any HTTPClient,
    cancellation: Cancellation
  ) throws(OAuthError) -> Credentials {
    var request = HTTPRequest(
      post: endpoint, .resource, form: try form(token), transport: transport, cancellation: cancellation)
    request.accept = "text/xml, application/xml"
    let response = try http.ask(request)
    let document = ServiceDocument(response: response)
    guard response.status == 200 else { throw document.refusal(by: endpoint.uri.origin, sent: [token]) }
    guard let key = document.text("AccessKeyId"), let secret = document.secret("SecretAccessKey"),
      let session = document.secret("SessionToken"),
      let expiresAt = document.text("Expiration").flatMap({ Timestamp.unixSeconds(rfc3339: $0) })
    else { throw OAuthError(.malformedResponse, .name(endpoint.uri.origin), httpStatus: response.status) }
    return Credentials(
      accessKeyID: key, secretAccessKey: SealedSecret(secret), sessionToken: SealedSecret(session),
      expiresAt: expiresAt)
  }

  private func form(_ token: SharedSecret) throws(OAuthError) -> SecretBytes {
    var form = SecretBuffer()
    var isFirst = true
    let fields = [
      ("Action", "AssumeRoleWithWebIdentity"), ("Version", "2011-06-15"), ("RoleArn", arn),
      ("RoleSessionName", sessionName), ("DurationSeconds", seconds.map { "\($0)" } ?? ""),
    ]
    for (name, value) in fields where !value.isEmpty {
      Form.append(name: name, value: value, to: &form, isFirst: &isFirst)
    }
    token.bytes.withBytes { Form.append(name: "WebIdentityToken", secret: $0, to: &form, isFirst: &isFirst) }
    do { return try form.finish() } catch { throw OAuthError(.cryptoFailure, .request) }
  }
}

/// Reads the service's XML: elements that appear once, with only text.
private struct ServiceDocument {
  let response: HTTPResponse

  /// An element's range. Nil unless it appears once and is printable ASCII without markup or, if `isProse`, XML text.
  private func range(_ name: String, in bytes: Span<UInt8>, isProse: Bool = false) -> Range<Int>? {
    let (start, end) = (Array("<\(name)>".utf8), Array("</\(name)>".utf8))
    let offsets = Self.offsets(of: start, in: bytes)
    guard offsets.count == 1 else { return nil }
    let first = offsets[0] + start.count
    var last = first
    while last < bytes.count, bytes[last] != UInt8(ascii: "<"),
      isProse || (bytes[last].isVisibleASCII && bytes[last] != UInt8(ascii: "&"))
    {
      last += 1
    }
    guard last > first, last + end.count <= bytes.count else { return nil }
    for index in end.indices where bytes[last + index] != end[index] { return nil }
    return first..<last
  }

  private static func offsets(of word: [UInt8], in bytes: Span<UInt8>) -> [Int] {
    var offsets: [Int] = []
    guard bytes.count >= word.count else { return offsets }
    for offset in 0...(bytes.count - word.count) where bytes[offset] == word[0] {
      var index = 1
      while index < word.count, bytes[offset + index] == word[index] { index += 1 }
      if index == word.count { offsets.append(offset) }
    }
    return offsets
  }

  /// An element's text in secret memory; nil as for ``range(_:in:isProse:)``.
  func secret(_ name: String) -> SharedSecret? {
    response.body.withBytes { bytes in
      range(name, in: bytes).flatMap { try? SharedSecret(SecretBytes(copying: bytes.extracting($0))) }
    }
  }

  /// An element's text; nil as for ``range(_:in:isProse:)``.
  func text(_ name: String, isProse: Bool = false) -> String? {
    response.body.withBytes { bytes in
      range(name, in: bytes, isProse: isProse).map { range in
        var text: [UInt8] = []
        for index in range { text.append(bytes[index]) }
        return String(decoding: text, as: UTF8.self)
      }
    }
  }

  /// The error message, cleaned for display; nil if it repeats a secret.
  private func message(sent: [SharedSecret]) -> String? {
    guard let text = text("Message", isProse: true) else { return nil }
    let parts = text.split(separator: "&", omittingEmptySubsequences: false)
    let plain = parts.dropFirst().reduce(String(parts[0])) { plain, part in
      let name = part.prefix { $0 != ";" }
      guard let character = Self.entities[String(name)], name.count < part.count else { return "\(plain)&\(part)" }
      return plain + character + part.dropFirst(name.count + 1)
    }
    return ErrorResponse(redirected: "", description: plain, sent: sent).description
  }

  /// See XML section 4.6.
  private static let entities = ["lt": "<", "gt": ">", "quot": "\"", "apos": "'", "amp": "&"]

  func refusal(by origin: String, sent: [SharedSecret]) -> OAuthError {
    let isTemporary = response.status >= 500 || response.status == 429
    var error = OAuthError(
      isTemporary ? .serverUnavailable : .otherServerError, .name(origin), httpStatus: response.status)
    if let code = text("Code"), code.utf8.count <= 64, code.utf8.allSatisfy({ $0.isASCIIAlphanumeric || $0 == 0x2E }) {
      error.serverError = code
      error.serverDescription = message(sent: sent)
      if code == "Throttling" { error.code = .rateLimited }
    }
    return error
  }
}
