package import Crypto
internal import JOSE
internal import OAuth
internal import Platform
internal import Vocabulary

/// Requests an assertion about the user of one account, for the authorization server of another
/// (draft-ietf-oauth-identity-assertion-authz-grant-04). Blocking, for a worker thread.
package struct IdentityAssertionOperation: Sendable {
  /// About the account whose user it is for.
  package let question: ServerQuestion
  /// The settings of the account that signs in with it.
  package let configuration: AccountConfiguration

  package init(_ question: ServerQuestion, for configuration: AccountConfiguration) {
    self.question = question
    self.configuration = configuration
  }

  /// - Throws: `idTokenNeeded` if there is no suitable ID Token; nothing is sent then.
  package func run() throws(SessionError) -> SharedSecret {
    let account = question.account.text
    guard let sealed = question.grant.idToken else { throw .idTokenNeeded(account: account, isExpired: false) }
    let idToken: SharedSecret
    do { idToken = try sealed.open() } catch { throw .memory }
    let end = idToken.bytes.withBytes { bytes in try? JWTClaims(ofVerified: bytes).expiresAt }
    guard let end, end > question.services.time.wallSeconds() else {
      throw .idTokenNeeded(account: account, isExpired: true)
    }
    let scope = try oauth { () throws(OAuthError) in try configuration.scopeWithoutUser() }
    var (_, live) = try question.open()
    return try live.asking(\.tokenEndpoint) { (server) throws(OAuthError) in
      try server.identityAssertion(
        by: idToken, for: audience, scope: scope, resources: configuration.resources,
        cancellation: question.cancellation)
    }
  }

  /// The issuer, unless the settings specify another audience.
  private var audience: String {
    guard case .named(let text)? = configuration.assertionAudience.map({ AssertionAudience($0) }) else {
      return configuration.issuer
    }
    return text
  }
}
