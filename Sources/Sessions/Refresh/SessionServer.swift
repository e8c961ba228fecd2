internal import Crypto
internal import OAuth
internal import Platform
internal import Vault

/// A session's authorization server. Finds moved endpoints.
struct SessionServer {
  var server: AuthorizationServer
  private(set) var renewal: MetadataRenewal
  /// Nil until the profile has been checked.
  private var flow: FAPI2.Flow?

  init(server: AuthorizationServer, renewal: MetadataRenewal) {
    self.server = server
    self.renewal = renewal
  }

  /// Throws unless the metadata, fetched again if necessary, meets the account's profile (invariant: reserve first).
  mutating func checkProfile(_ flow: FAPI2.Flow) throws(SessionError) {
    self.flow = flow
    do { return try server.checkProfile(flow) } catch {
      guard let newer = renewal.fetchNewer() else { throw .oauth(error) }
      try adopt(newer)
    }
  }

  private mutating func adopt(_ newer: IssuerMetadata.Version) throws(SessionError) {
    server.metadata = newer.document
    renewal.version = newer
    let server = server
    if let flow { try mapOAuthError(server.checkProfile(flow)) }
  }

  /// Throws unless the endpoint, in metadata fetched again if necessary, has an origin known at sign-in.
  mutating func check(_ role: EndpointRole) throws(SessionError) {
    guard let allowedOrigins = renewal.allowedOrigins, let target = server.metadata[role],
      !allowedOrigins.authority.includes(target)
    else {
      return
    }
    if let newer = renewal.fetchNewer() { try adopt(newer) }
    try allowedOrigins.check(server.metadata[role])
  }

  /// Sends a request to the endpoint `role`. If it no longer exists, repeats the request at the endpoint in newer
  /// metadata, if that origin was known at sign-in.
  mutating func send<Answer>(
    to role: EndpointRole, _ ask: (AuthorizationServer) throws(OAuthError) -> Answer
  ) throws(SessionError) -> Answer {
    try check(role)
    let problem: OAuthError
    do { return try ask(server) } catch { problem = error }
    guard problem.indicatesMissingEndpoint, let newer = renewal.fetchNewer(), let target = newer.document[role],
      target != server.metadata[role]
    else { throw .oauth(problem) }
    try renewal.allowedOrigins?.check(target)
    try adopt(newer)
    return try mapOAuthError(ask(server))
  }
}

extension AuthorizationServer {
  /// Revokes a token (RFC 7009). Returns whether that succeeded. Blocking.
  func revokeIfPossible(
    _ token: SharedSecret, _ hint: TokenTypeHint, bearer: SharedSecret? = nil, _ cancellation: Cancellation
  ) -> Bool {
    (try? revoke(token, hint: hint, bearer: bearer, cancellation: cancellation)) != nil
  }

  /// Removes the grant's tokens from error messages.
  mutating func removeFromErrors(_ grant: AccessGrant?) {
    removeFromErrors(try? grant?.accessToken.open(), try? grant?.idToken?.open())
  }
}

extension SessionServices {
  /// Reports once that the metadata contains this origin, unknown at sign-in.
  private func reportMovedOrigin(_ origin: String?, _ account: AccountName) {
    let known = movedOrigins.withLock { origins in
      defer { origins[account] = origin }
      return origins[account]
    }
    if origin != nil, origin != known { observer?(.endpointMoved) }
  }

  /// The server, for requests with the secrets of `record` and the DPoP key of `grant`, or else of the record. Requests
  /// to origins unknown at sign-in fail. Throws `configurationChanged` if the settings specify another server or client
  /// than at sign-in.
  func server(
    for account: AccountName, _ configuration: AccountConfiguration, _ record: AccountRecord,
    grant: AccessGrant? = nil, cancellation: Cancellation?
  ) throws(SessionError) -> SessionServer {
    let parsed = try record.parse(configuration, account)
    if let expiry = record.registration?.secretExpiresAt, record.credentials.secret != nil, expiry <= time.wallSeconds()
    {
      throw .clientSecretExpired(account: account.text)
    }
    let source = metadataSource(parsed, cancellation)
    let version = try source.fetchUnlessCached()
    reportMovedOrigin(record.authority.unknownOrigin(in: version.document), account)
    let allowedOrigins = MetadataRenewal.AllowedOrigins(account: account, authority: record.authority)
    var server = try parsed.server(
      metadata: version.document, record.credentials, proxyCredentials: record.proxyCredentials, http: http, time: time,
      keyDevice: vault.keyDevice)
    // Callers check this first, with a more specific error.
    server.origins = record.authority.origins
    let key = if let grant { grant.dpopKey } else { try key(of: record, account) }
    server.prover = key.map(prover)
    server.removeFromErrors(record.revocation?.refreshToken, record.revocation?.accessToken)
    server.removeFromErrors(record.refreshToken, record.accessToken)
    server.removeFromErrors(grant)
    return SessionServer(
      server: server, renewal: MetadataRenewal(source: source, version: version, allowedOrigins: allowedOrigins))
  }
}
