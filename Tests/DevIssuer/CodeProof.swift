import Crypto
import Encoding

/// What a token request brings to show that the code is its own.
struct CodeProof: Sendable {
  private let redirectURI: String?
  /// The SHA-256 of the verifier (RFC 7636 section 4.6); nil when none came.
  private let challenge: [UInt8]?

  init(_ parameters: Parameters) throws(OAuthFailure) {
    redirectURI = parameters["redirect_uri"]
    guard let verifier = parameters["code_verifier"] else {
      challenge = nil
      return
    }
    guard Self.isVerifier(verifier) else { throw OAuthFailure(.invalidGrant, "malformed code_verifier") }
    let text = Array(verifier.utf8)
    do {
      challenge = try Digest.sha256.hash(text.span)
    } catch {
      throw OAuthFailure(.serverError, "cryptographic operation failed")
    }
  }

  /// RFC 6749 section 4.1.3 and RFC 7636 section 4.6. A verifier without a challenge is the mark of a
  /// downgrade (RFC 9700 section 4.8.2).
  func check(against request: AuthorizationRequest) throws(OAuthFailure) {
    guard redirectURI == request.target.uri.text else {
      throw OAuthFailure(.invalidGrant, "redirect_uri is not the one of the authorization request")
    }
    switch (request.challenge, challenge) {
    case (nil, nil): return
    case (let expected?, let found?) where ConstantTime.isEqual(expected.span, found.span): return
    case (nil, _?): throw OAuthFailure(.invalidGrant, "a code_verifier for a request without code_challenge")
    case (_?, nil): throw OAuthFailure(.invalidGrant, "code_verifier is missing")
    default: throw OAuthFailure(.invalidGrant, "code_verifier is wrong")
    }
  }

  /// RFC 7636 section 4.1.
  private static func isVerifier(_ text: String) -> Bool {
    (43...128).contains(text.utf8.count)
      && text.utf8.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || "-._~".utf8.contains($0) }
  }
}
