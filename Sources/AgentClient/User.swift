internal import Encoding

/// The signed-in user of an account, according to the verified ID Token (OpenID Connect Core 1.0, section 2).
public struct User: Sendable, Hashable {
  /// The account's name.
  public var account: String

  /// The authorization server's issuer identifier.
  public var issuer: String

  /// The user's identifier, unique at the issuer and never reassigned.
  public var subject: String

  /// All claims of the ID Token.
  public var claims: [String: ClaimValue]

  /// Creates a user, for tests.
  public init(account: String, issuer: String, subject: String, claims: [String: ClaimValue] = [:]) {
    self.account = account
    self.issuer = issuer
    self.subject = subject
    self.claims = claims
  }

  /// Parses a response to `whoami`; nil without a verified ID Token.
  init?(_ result: JSONObject) {
    guard result["source"]?.string == "id_token", let account = result["account"]?.string,
      let issuer = result["issuer"]?.string, let subject = result["subject"]?.string,
      let claims = result["claims"]?.object
    else { return nil }
    self.init(account: account, issuer: issuer, subject: subject, claims: ClaimValue.claims(claims))
  }
}
