package import Crypto
internal import Encoding
package import OAuth
package import Platform
package import Vault

/// What every way to sign in has in common: who signs in where, and what becomes of the tokens.
package struct SignIn: Sendable {
  package let account: AccountName
  /// The settings the account will have, with what was chosen from the metadata filled in.
  package let configuration: AccountConfiguration
  package let server: AuthorizationServer
  /// The scope that is asked for.
  package let scope: Scope?
  package let cancellation: Cancellation
  let services: SessionServices

  private let caDigest: String?
  private let secrets: Secrets
  private let isNew: Bool

  /// What the person gave beside the settings.
  package struct Secrets: Sendable {
    package var clientSecret: SharedSecret?
    /// As in ``ClientCredentials``.
    package var clientKey: SharedSecret?
    package var clientCertificate: SharedSecret?
    /// `user:password` of the proxy.
    package var proxyCredentials: SharedSecret?

    package init(clientSecret: SharedSecret? = nil, proxyCredentials: SharedSecret? = nil) {
      self.clientSecret = clientSecret
      self.proxyCredentials = proxyCredentials
    }

    /// What the client proves itself with.
    package var credentials: ClientCredentials {
      get { ClientCredentials(secret: clientSecret, key: clientKey, certificate: clientCertificate) }
      set { (clientSecret, clientKey, clientCertificate) = (newValue.secret, newValue.key, newValue.certificate) }
    }
  }

  /// What a sign-in ends with.
  package struct Outcome: Sendable {
    package let grant: AccessGrant
    package let configuration: AccountConfiguration
    /// Without one the session ends with the access token.
    package let hasRefreshToken: Bool
    package let isKept: Bool
  }

  /// Fetches the metadata anew, and chooses client authentication and scope. Blocking.
  package init(_ request: Preparation) throws(SessionError) {
    let secrets = try request.secrets(try AccountAccess(request.configuration))
    let contact = try FirstContact(
      request.configuration, secrets, services: request.services, cancellation: request.cancellation)
    account = request.account
    configuration = contact.configuration
    server = contact.server
    scope = try oauth { () throws(OAuthError) in
      try request.scope(contact.configuration.scope, contact.server.metadata)
    }
    cancellation = request.cancellation
    services = request.services
    caDigest = contact.caDigest
    self.secrets = secrets
    isNew = request.isNew
  }

  /// Verifies the answer and stores the session. Nothing of the answer is used if its ID Token does
  /// not hold, or if it is for another person than the account's. Blocking.
  ///
  /// - Parameters:
  ///   - sentAt: When the request for the tokens was sent.
  ///   - demands: What the authorization request asked of the ID Token.
  package func finish(
    _ response: TokenResponse, receivedAfter sentAt: Instant, demands: IDTokenDemands = .init()
  ) throws(SessionError) -> Outcome {
    let token = try IDTokenCheck(services: services, server: server, cancellation: cancellation)
      .signedIn(response, isRequired: isOpenID && server.metadata.issuesIDTokens, demands: demands)
    return try services.holding(account) { () throws(SessionError) in
      try store(response, token, sentAt)
    }
  }

  private func store(_ response: TokenResponse, _ token: IDToken?, _ sentAt: Instant) throws(SessionError) -> Outcome {
    let old = isNew ? nil : try services.recordToReplace(of: account)
    if let first = old?.identity, let identity = token?.identity,
      !first.issuer.utf8.elementsEqual(identity.issuer.utf8) || !first.subject.utf8.elementsEqual(identity.subject.utf8)
    {
      throw .identityChanged(account: account.text)
    }
    let isKept = response.refreshToken == nil && configuration.keepsAccessToken
    var record = AccountRecord(
      authority: Authority(configuration, caDigest: caDigest, metadata: server.metadata),
      signedInAt: services.time.wallSeconds())
    record.identity = token?.identity
    record.scope = (response.scope ?? scope)?.text
    record.refreshToken = response.refreshToken
    record.accessToken = isKept ? response.accessToken : nil
    record.credentials = secrets.credentials
    record.proxyCredentials = secrets.proxyCredentials
    record.isExpired = response.refreshToken == nil && !isKept
    if !record.isExpired { try record.keep(server.prover) }
    let age = Int(sentAt.duration(to: services.time.now()).components.seconds)
    let issuedAtUnixSeconds = services.time.wallSeconds() - age
    record.accessTokenExpiresAt = isKept ? response.expiresIn.map { issuedAtUnixSeconds + $0 } : nil
    let generation = try services.write(record, of: account)
    let grant = AccessGrant(
      accessToken: response.accessToken, tokenType: response.tokenType, scope: record.scope,
      subject: token?.identity.subject, claims: token?.claims ?? .init(),
      idToken: token.flatMap { _ in response.idToken }, issuedAt: sentAt, issuedAtUnixSeconds: issuedAtUnixSeconds,
      lifetimeSeconds: response.expiresIn, recordGeneration: generation, dpopKey: server.prover?.key)
    return Outcome(
      grant: grant, configuration: configuration, hasRefreshToken: response.refreshToken != nil, isKept: isKept)
  }

  private var isOpenID: Bool { scope?.contains("openid") ?? false }
}
