internal import Encoding
package import Crypto
package import OAuth
package import Platform
package import Vault

/// A sign-in by the device authorization grant (RFC 8628), in three blocking steps for worker
/// threads: ``prepare(_:)``, ``poll()`` as often as ``DevicePolling`` says, ``finish(_:)``.
package struct DeviceSignIn: Sendable {
  package let account: AccountName
  /// The settings the account will have, with what was chosen from the metadata filled in.
  package let configuration: AccountConfiguration
  package let authorization: DeviceAuthorizationResponse
  /// The scope that was asked for.
  package let scope: Scope?
  /// Taken before the device authorization request was sent.
  package let startedAt: Instant
  package let startedAtUnixSeconds: Int

  private let services: SessionServices
  private let server: AuthorizationServer
  private let caDigest: String?
  private let secrets: Secrets
  private let isNew: Bool
  private let cancellation: Cancellation

  /// What the person gave beside the settings.
  package struct Secrets: Sendable {
    package var clientSecret: SharedSecret?
    /// `user:password` of the proxy.
    package var proxyCredentials: SharedSecret?

    package init(clientSecret: SharedSecret? = nil, proxyCredentials: SharedSecret? = nil) {
      self.clientSecret = clientSecret
      self.proxyCredentials = proxyCredentials
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

  /// Fetches the metadata anew, chooses client authentication and scope, and asks for a device code.
  package static func prepare(_ request: Preparation) throws(SessionError) -> DeviceSignIn {
    let secrets = try request.secrets(try AccountAccess(request.configuration))
    let contact = try FirstContact(
      request.configuration, secrets, services: request.services, cancellation: request.cancellation)
    let (configuration, server) = (contact.configuration, contact.server)
    let scope = try oauth { () throws(OAuthError) in try request.scope(configuration.scope, server.metadata) }
    let startedAt = request.services.time.now()
    let wallSeconds = request.services.time.wallSeconds()
    let authorization = try oauth { () throws(OAuthError) in
      try server.authorizeDevice(scope: scope, cancellation: request.cancellation)
    }
    return DeviceSignIn(
      account: request.account, configuration: configuration, authorization: authorization, scope: scope,
      startedAt: startedAt, startedAtUnixSeconds: wallSeconds, services: request.services, server: server,
      caDigest: contact.caDigest, secrets: secrets, isNew: request.isNew, cancellation: request.cancellation)
  }

  /// Asks once whether the person has decided.
  package func poll() throws(SessionError) -> DevicePollOutcome {
    try oauth { () throws(OAuthError) in
      try server.pollDevice(authorization.deviceCode, cancellation: cancellation)
    }
  }

  /// Verifies the answer and stores the session. Nothing of the answer is used if its ID Token does
  /// not hold, or if it is for another person than the account's.
  package func finish(_ response: TokenResponse, receivedAfter sentAt: Instant) throws(SessionError) -> Outcome {
    let token = try IDTokenCheck(services: services, server: server, cancellation: cancellation)
      .signedIn(response, isRequired: isOpenID && server.metadata.issuesIDTokens)
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
    record.clientSecret = secrets.clientSecret
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

extension DeviceSignIn {
  /// All that a sign-in starts from.
  package struct Preparation: Sendable {
    package let account: AccountName
    package let configuration: AccountConfiguration
    package let given: Secrets
    package let services: SessionServices
    /// The settings do not know the account, so that a record of its name is a leftover and means nothing.
    package let isNew: Bool
    package let cancellation: Cancellation

    package init(
      account: AccountName, configuration: AccountConfiguration, given: Secrets, services: SessionServices,
      isNew: Bool = false, cancellation: Cancellation
    ) {
      self.account = account
      self.configuration = configuration
      self.given = given
      self.services = services
      self.isNew = isNew
      self.cancellation = cancellation
    }

    /// The secrets given now, else the stored ones, which go only where they went before.
    fileprivate func secrets(_ access: AccountAccess) throws(SessionError) -> Secrets {
      var secrets = given
      let needsSecret = configuration.tokenEndpointAuthMethod != "none" && secrets.clientSecret == nil
      let proxy = secrets.proxyCredentials == nil ? configuration.proxy : nil
      guard !isNew, needsSecret || proxy != nil, let record = try services.recordToReplace(of: account) else {
        return secrets
      }
      if let setting = record.authority.difference(from: configuration, caDigest: access.caDigest) {
        guard needsSecret else { return secrets }
        throw .configurationChanged(account: account.text, setting: setting)
      }
      if needsSecret { secrets.clientSecret = record.clientSecret }
      if let proxy, record.authority.mayGiveCredentials(to: proxy) {
        secrets.proxyCredentials = record.proxyCredentials
      }
      return secrets
    }

    /// What the account's settings ask for; else an ID Token, and a refresh token where the server
    /// says that it knows `offline_access`.
    fileprivate func scope(
      _ values: [String], _ metadata: AuthorizationServerMetadata
    ) throws(OAuthError) -> Scope? {
      if !values.isEmpty { return try Scope(values: values) }
      guard metadata.issuesIDTokens else { return nil }
      let canStay = metadata.scopes?.contains("offline_access") ?? false
      return try Scope(values: canStay ? ["openid", "offline_access"] : ["openid"])
    }
  }
}
