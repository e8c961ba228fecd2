internal import Crypto
internal import OAuth
internal import Platform
internal import Vault

/// A session's authorization server. Finds endpoints that have moved.
struct LiveServer {
  var server: AuthorizationServer
  private(set) var renewal: MetadataRenewal
  /// The account's grant type. Nil until the profile has been checked.
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

  /// Adopts newer metadata and checks the profile again.
  private mutating func adopt(_ newer: IssuerMetadata.Version) throws(SessionError) {
    server.metadata = newer.document
    renewal.version = newer
    let server = server
    if let flow { try oauth(server.checkProfile(flow)) }
  }

  /// Throws unless the endpoint, in metadata fetched again if necessary, has an origin known at sign-in.
  ///
  /// - Parameter endpoint: Returns the endpoint in the metadata.
  mutating func check(_ endpoint: (AuthorizationServerMetadata) -> Endpoint?) throws(SessionError) {
    guard let bounds = renewal.bounds, let target = endpoint(server.metadata), !bounds.authority.includes(target) else {
      return
    }
    if let newer = renewal.fetchNewer() { try adopt(newer) }
    try bounds.check(endpoint(server.metadata))
  }

  /// Sends a request. If the endpoint no longer exists, repeats it at the endpoint in newer metadata, if the origin was
  /// known at sign-in.
  ///
  /// - Parameter endpoint: Returns the endpoint that `ask` uses.
  mutating func asking<Answer>(
    _ endpoint: (AuthorizationServerMetadata) -> Endpoint?,
    _ ask: (AuthorizationServer) throws(OAuthError) -> Answer
  ) throws(SessionError) -> Answer {
    try check(endpoint)
    let problem: OAuthError
    do { return try ask(server) } catch { problem = error }
    guard problem.indicatesMissingEndpoint, let newer = renewal.fetchNewer(), let target = endpoint(newer.document),
      target != endpoint(server.metadata)
    else { throw .oauth(problem) }
    try renewal.bounds?.check(target)
    try adopt(newer)
    return try oauth(ask(server))
  }
}

extension AuthorizationServer {
  /// Revokes a token (RFC 7009). Returns whether the server did. Blocking.
  func end(
    _ token: SharedSecret, _ hint: RevocationHint, bearer: SharedSecret? = nil, _ cancellation: Cancellation
  ) -> Bool {
    (try? revoke(token, hint: hint, bearer: bearer, cancellation: cancellation)) != nil
  }

  /// Removes the grant's tokens from all error messages.
  mutating func hide(_ grant: AccessGrant?) { hide(try? grant?.accessToken.open(), try? grant?.idToken?.open()) }
}

extension SessionServices {
  /// Reports once that the metadata contains an origin unknown at sign-in. Nothing is sent to it.
  private func noteMoved(_ origin: String?, _ account: AccountName) {
    let known = movedOrigins.withLock { origins in
      defer { origins[account] = origin }
      return origins[account]
    }
    if origin != nil, origin != known { observer?(.endpointMoved) }
  }

  /// The server, for requests with the secrets of `record`. Requests to origins unknown at sign-in fail. DPoP proofs
  /// use the key of `grant`, or else of the record.
  ///
  /// - Throws: `configurationChanged` if the settings specify another server or client than at sign-in.
  func server(
    for account: AccountName, _ configuration: AccountConfiguration, _ record: AccountRecord,
    grant: AccessGrant? = nil, cancellation: Cancellation?
  ) throws(SessionError) -> LiveServer {
    let access = try record.access(by: configuration, account)
    if let expiry = record.registration?.secretExpiresAt, record.credentials.secret != nil, expiry <= time.wallSeconds()
    {
      throw .clientSecretExpired(account: account.text)
    }
    let source = metadataSource(access, cancellation)
    let version = try source.cachedOrFetched()
    noteMoved(record.authority.unknownOrigin(in: version.document), account)
    let bounds = MetadataRenewal.Bounds(account: account, authority: record.authority)
    var server = try access.server(
      metadata: version.document, record.credentials, proxyCredentials: record.proxyCredentials, http: http, time: time,
      keyDevice: vault.keyDevice)
    // Callers have checked the origin before, with a more specific error.
    server.origins = record.authority.origins
    let key = if let grant { grant.dpopKey } else { try key(of: record, account) }
    server.prover = key.map(prover)
    server.hide(record.revocation?.refreshToken, record.revocation?.accessToken)
    server.hide(record.refreshToken, record.accessToken)
    server.hide(grant)
    return LiveServer(
      server: server, renewal: MetadataRenewal(source: source, version: version, bounds: bounds))
  }
}
