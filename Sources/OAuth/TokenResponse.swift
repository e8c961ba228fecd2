package import Crypto
internal import Encoding

/// The tokens that a token endpoint issued (RFC 6749 section 5.1).
package final class TokenResponse: Sendable {
  package let accessToken: SharedSecret
  /// `Bearer` or `DPoP`, in the spelling of RFC 6750 and RFC 9449.
  package let tokenType: String
  /// Seconds from the moment of the answer; nil when the lifetime is not known.
  package let expiresIn: Int?
  /// What was granted; nil means as requested (RFC 6749 section 5.1).
  package let scope: Scope?
  /// nil after a refresh means that the old one stays valid (RFC 6749 section 6).
  package let refreshToken: SharedSecret?
  /// Not verified: see ``IDToken``.
  package let idToken: SharedSecret?
  /// The server's clock in unix seconds, from the `Date` header.
  package let serverDate: Int?

  /// The scope of GitHub has commas between its values.
  package enum ScopeSeparator: Sendable { case space, comma }

  /// Reads an answer of the token endpoint.
  ///
  /// - Throws: The error that the answer names; `malformedResponse` for an answer that breaks RFC 6749
  ///   section 5.1 or a token with characters that must not reach a header; `unsupportedTokenType`.
  package static func parse(
    _ response: HTTPResponse, scopeSeparator: ScopeSeparator = .space
  ) throws(OAuthError) -> TokenResponse {
    try parse(response, kind: .other, sent: [], scopeSeparator: scopeSeparator)
  }

  static func parse(
    _ response: HTTPResponse, kind: RequestKind, sent: [SharedSecret], scopeSeparator: ScopeSeparator
  ) throws(OAuthError) -> TokenResponse {
    try response.body.withBytes { (bytes) throws(OAuthError) in
      let reader = try AnswerReader(response, bytes, subject: "the token endpoint", kind: kind, sent: sent)
      return try TokenResponse(reader, bytes, scopeSeparator, serverDate: response.headers.date)
    }
  }

  /// The ID Token that must be there when the scope `openid` was asked for (OpenID Connect Core 1.0
  /// section 3.1.3.3).
  package func requireIDToken() throws(OAuthError) -> SharedSecret {
    guard let idToken else { throw OAuthError(.missingIDToken, "the token endpoint") }
    return idToken
  }

  private init(
    _ reader: borrowing AnswerReader, _ bytes: Span<UInt8>, _ separator: ScopeSeparator, serverDate: Int?
  ) throws(OAuthError) {
    // Printable, and for the token that goes into a header no space (RFC 6749 appendix A, RFC 6750 section 2.1).
    guard let accessToken = try reader.secret("access_token", in: bytes, allowed: 0x21...0x7E) else {
      throw reader.malformed("access_token")
    }
    self.accessToken = accessToken
    guard let type = try reader.text("token_type", in: bytes) else { throw reader.malformed("token_type") }
    tokenType = try Self.normalised(type)
    expiresIn = try reader.seconds("expires_in", in: bytes)
    scope = try Self.scope(try reader.text("scope", in: bytes), separator, reader)
    refreshToken = try reader.secret("refresh_token", in: bytes, allowed: 0x20...0x7E)
    idToken = try reader.secret("id_token", in: bytes, allowed: 0x21...0x7E)
    self.serverDate = serverDate
  }

  /// The type is compared without regard to case; one that we do not understand makes the token useless
  /// (RFC 6749 section 7.1).
  private static func normalised(_ type: String) throws(OAuthError) -> String {
    switch type.utf8.count < 16 ? type.lowercased() : "" {
    case "bearer": "Bearer"
    case "dpop": "DPoP"
    default: throw OAuthError(.unsupportedTokenType, "the token endpoint")
    }
  }

  private static func scope(
    _ text: String?, _ separator: ScopeSeparator, _ reader: borrowing AnswerReader
  ) throws(OAuthError) -> Scope? {
    guard let text else { return nil }
    do throws(OAuthError) {
      guard separator == .comma else { return try Scope(text) }
      return try Scope(values: text.split { $0 == "," || $0 == " " }.map(String.init))
    } catch {
      throw reader.malformed("scope")
    }
  }
}
