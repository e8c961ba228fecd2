package import Crypto
internal import Encoding

/// The response to a pending authorization request (RFC 6749 section 4.1.2).
package enum AuthorizationResponse: Sendable {
  /// The redirect is for another request. Ignored, since otherwise anyone who reaches the port could abort sign-ins
  /// (RFC 6749 section 10.12, RFC 8252 section 8.9).
  case unrelated
  /// Exchange the code once, immediately.
  case code(SharedSecret)
  /// An error or invalid response, which ends the sign-in.
  case failure(OAuthError)
}

extension AuthorizationRequest {
  private static let subject = OAuthError.Subject.endpoint(.authorization)

  /// Parses a redirect's query without "?". Checks `state`, then `iss` (RFC 9207 section 2.4).
  package func answer(in query: Span<UInt8>) -> AuthorizationResponse {
    guard let fields = RedirectFields(query), let found = fields.uniqueValue("state"), matchesState(found) else {
      return .unrelated
    }
    do throws(OAuthError) {
      return .code(try code(in: fields))
    } catch {
      return .failure(error)
    }
  }

  /// The error in a query without `state`. Some servers omit `state`, but such a query can come from anyone.
  package static func strayError(in query: Span<UInt8>) -> String? {
    guard let fields = RedirectFields(query), !fields.has("state"), let text = fields.text("error"),
      (1...64).contains(text.utf8.count),
      text.utf8.allSatisfy({ $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") })
    else { return nil }
    return text
  }

  private func matchesState(_ found: SharedSecret) -> Bool {
    let expected = Array(state.utf8)
    return found.bytes.withBytes { ConstantTime.isEqual($0, expected.span) }
  }

  /// Throws the server's error, if any.
  private func code(in fields: RedirectFields) throws(OAuthError) -> SharedSecret {
    try checkIssuer(fields)
    // Neither repeated parameters (RFC 6749 section 3.1) nor tokens (RFC 9700 section 2.1.2) are valid here.
    guard !fields.hasDuplicates, !fields.has("access_token"), !fields.has("id_token") else {
      throw OAuthError(.malformedResponse, Self.subject)
    }
    if fields.has("error") { throw refusal(fields.text("error") ?? "", fields.text("error_description")) }
    guard let code = fields.uniqueValue("code"), isPrintable(code) else {
      throw OAuthError(.malformedResponse, Self.subject)
    }
    return code
  }

  /// Compares bytes after form decoding (RFC 9207 section 2.4).
  private func checkIssuer(_ fields: RedirectFields) throws(OAuthError) {
    guard fields.has("iss") else {
      if options.profile == .fapi2 { throw OAuthError(.answerWithoutIssuer) }
      if responsesNameIssuer { throw OAuthError(.responseIssuerMissing, .issuer) }
      return
    }
    let named = fields.text("iss")
    let other = options.responseIssuer
    guard let named,
      issuer.isSame(as: named) || other.map({ $0.hasSameBytes(as: named) }) ?? false
        || tenant?.allowsResponseIssuer(as: named) ?? false
    else {
      throw OAuthError(.responseIssuerMismatch, .configuredIssuer).addingIssuer(named)
    }
  }

  /// The error for a redirect's `error` (RFC 6749 section 4.1.2.1).
  private func refusal(_ error: String, _ description: String?) -> OAuthError {
    let answer = ErrorResponse(redirected: error, description: description, sent: [verifier.secret])
    guard let value = answer.error else { return OAuthError(.malformedResponse, Self.subject) }
    var refusal = OAuthError(.named(value) ?? .otherServerError, Self.subject)
    refusal.serverError = value
    refusal.serverDescription = answer.description
    return refusal
  }

  /// Required by RFC 6749 appendix A.11.
  private func isPrintable(_ code: SharedSecret) -> Bool {
    code.bytes.withBytes { bytes in bytes.indices.allSatisfy { bytes[$0].isPrintableASCII } }
  }
}
