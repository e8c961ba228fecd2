package import Crypto
internal import Encoding
internal import Vocabulary

/// The answer at the redirect URI (RFC 6749 section 4.1.2), as the waiting request sees it.
package enum AuthorizationAnswer: Sendable {
  /// Not an answer to this request, whatever it says: it is dropped and the wait goes on, or anyone who can
  /// reach the port could end a sign-in (RFC 6749 section 10.12, RFC 8252 section 8.9).
  case foreign
  /// The code, to be exchanged at once and once.
  case code(SharedSecret)
  /// Ends the sign-in.
  case failure(OAuthError)
}

extension AuthorizationRequest {
  private static let subject = OAuthError.Subject.endpoint(.authorization)

  /// Judges the query of a redirect, without its "?".
  ///
  /// `state` alone decides whether it is for us. Only then is anything else looked at, first who sent it
  /// (RFC 9207 section 2.4), error answers included.
  package func answer(in query: Span<UInt8>) -> AuthorizationAnswer {
    guard let fields = RedirectFields(query), let found = fields.only("state"), isOurs(found) else { return .foreign }
    do throws(OAuthError) {
      return .code(try code(in: fields))
    } catch {
      return .failure(error)
    }
  }

  private func isOurs(_ found: SharedSecret) -> Bool {
    let expected = Array(state.utf8)
    return found.bytes.withBytes { ConstantTime.isEqual($0, expected.span) }
  }

  private func code(in fields: RedirectFields) throws(OAuthError) -> SharedSecret {
    try checkIssuer(fields)
    // No parameter comes twice (RFC 6749 section 3.1). Tokens have no place here: we asked for a code (RFC 9700
    // section 2.1.2).
    guard !fields.repeatsOne, !fields.has("access_token"), !fields.has("id_token") else {
      throw OAuthError(.malformedResponse, Self.subject)
    }
    if fields.has("error") { throw refusal(fields.text("error") ?? "", fields.text("error_description")) }
    guard let code = fields.only("code"), isPrintable(code) else {
      throw OAuthError(.malformedResponse, Self.subject)
    }
    return code
  }

  /// RFC 9207 section 2.4. The comparison is byte by byte, after form decoding.
  private func checkIssuer(_ fields: RedirectFields) throws(OAuthError) {
    guard fields.has("iss") else {
      if options.profile == .fapi2 { throw OAuthError(.answerWithoutIssuer) }
      if answersNameIssuer { throw OAuthError(.responseIssuerMissing, .issuer) }
      return
    }
    let named = fields.text("iss")
    let other = options.responseIssuer
    guard let named,
      issuer.isSame(as: named) || other.map({ $0.utf8.elementsEqual(named.utf8) }) ?? false
        || tenant?.mayAnswer(as: named) ?? false
    else {
      throw OAuthError(.responseIssuerMismatch, .configuredIssuer).naming(named)
    }
  }

  /// RFC 6749 section 4.1.2.1.
  private func refusal(_ error: String, _ description: String?) -> OAuthError {
    let answer = ErrorAnswer(redirected: error, description: description, sent: [verifier.secret])
    guard let value = answer.error else { return OAuthError(.malformedResponse, Self.subject) }
    var refusal = OAuthError(.named(value) ?? .otherServerError, Self.subject)
    refusal.serverError = value
    refusal.serverDescription = answer.description
    return refusal
  }

  /// RFC 6749 appendix A.11.
  private func isPrintable(_ code: SharedSecret) -> Bool {
    code.bytes.withBytes { bytes in bytes.indices.allSatisfy { bytes[$0].isPrintableASCII } }
  }
}
