internal import Crypto
internal import OAuth
internal import Platform
internal import Vault
internal import Vocabulary

/// The authorization server of a session, which is followed when its endpoints move.
struct LiveServer {
  var server: AuthorizationServer
  private(set) var renewal: MetadataRenewal
  /// How the account gets its tokens, once the server was held to the account's profile.
  private var flow: FAPI2.Flow?

  init(server: AuthorizationServer, renewal: MetadataRenewal) {
    self.server = server
    self.renewal = renewal
  }

  /// Refuses a server that does less than the account's profile demands, before anything is spent (reserve first). Cached
  /// metadata may be out of date, so it is the server itself that decides.
  mutating func checkProfile(_ flow: FAPI2.Flow) throws(SessionError) {
    self.flow = flow
    do { return try server.checkProfile(flow) } catch {
      guard let newer = renewal.newer() else { throw .oauth(error) }
      try follow(newer)
    }
  }

  private mutating func follow(_ newer: IssuerMetadata.Edition) throws(SessionError) {
    server.metadata = newer.document
    renewal.edition = newer
    let server = server
    if let flow { try oauth { () throws(OAuthError) in try server.checkProfile(flow) } }
  }

  /// Makes sure that an endpoint is at an origin that was there at sign-in. Cached metadata may be damaged or out of date;
  /// only metadata fetched from the server itself are trusted.
  mutating func check(_ endpoint: (AuthorizationServerMetadata) -> Endpoint?) throws(SessionError) {
    guard let bounds = renewal.bounds, let place = endpoint(server.metadata), !bounds.authority.includes(place) else {
      return
    }
    if let newer = renewal.newer() { try follow(newer) }
    try bounds.check(endpoint(server.metadata))
  }

  /// Sends a request to the server. If the endpoint is gone, fetches the metadata anew and sends the request once more
  /// to the endpoint that they name, if it is another one and at an origin of the sign-in.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint that `ask` sends to.
  ///   - ask: Sends one request. It must be possible to send the request again after an answer that says that the
  ///     endpoint does not exist.
  mutating func asking<Answer>(
    _ endpoint: (AuthorizationServerMetadata) -> Endpoint?,
    _ ask: (AuthorizationServer) throws(OAuthError) -> Answer
  ) throws(SessionError) -> Answer {
    try check(endpoint)
    let problem: OAuthError
    do { return try ask(server) } catch { problem = error }
    guard problem.namesNoSuchEndpoint, let newer = renewal.newer(), let place = endpoint(newer.document),
      place != endpoint(server.metadata)
    else { throw .oauth(problem) }
    try renewal.bounds?.check(place)
    try follow(newer)
    return try oauth { () throws(OAuthError) in try ask(server) }
  }
}

extension AuthorizationServer {
  /// Revokes a token that nothing uses (RFC 7009). Blocking.
  ///
  /// - Returns: Whether the server did.
  func end(
    _ token: SharedSecret, _ hint: RevocationHint, bearer: SharedSecret? = nil, _ cancellation: Cancellation
  ) -> Bool {
    (try? revoke(token, hint: hint, bearer: bearer, cancellation: cancellation)) != nil
  }

  /// Removes the tokens of this grant from the text of every error.
  mutating func hide(_ grant: AccessGrant?) { hide(try? grant?.accessToken.open(), try? grant?.idToken?.open()) }
}

extension SessionServices {
  /// Reports once that the metadata name an origin that was not there at sign-in. It gets nothing.
  private func noteMoved(_ origin: String?, _ account: AccountName) {
    let known = movedOrigins.withLock { origins in
      defer { origins[account] = origin }
      return origins[account]
    }
    if origin != nil, origin != known { observer?(.endpointMoved) }
  }

  /// The server that `record`'s secrets may be sent to.
  ///
  /// It is given proofs with the key of `grant`, if there is one, else with the record's.
  ///
  /// The settings must name the place and the client that the person signed in with; otherwise nothing is sent. Whether
  /// an endpoint is at an origin of the sign-in is checked before it is used.
  func server(
    for account: AccountName, _ configuration: AccountConfiguration, _ record: AccountRecord,
    grant: AccessGrant? = nil, cancellation: Cancellation?
  ) throws(SessionError) -> LiveServer {
    let access = try record.access(by: configuration, account)
    if let expiry = record.registration?.secretExpiresAt, record.clientSecret != nil, expiry <= time.wallSeconds() {
      throw .clientSecretExpired(account: account.text)
    }
    let source = metadataSource(access, cancellation)
    let edition = try source.atHand()
    noteMoved(record.authority.unknownOrigin(in: edition.document), account)
    let bounds = MetadataRenewal.Bounds(account: account, authority: record.authority)
    var server = try access.server(
      metadata: edition.document, record.credentials, proxyCredentials: record.proxyCredentials, http: http, time: time,
      keyDevice: vault.keyDevice)
    // The user of an endpoint has checked it before, with a better error.
    server.origins = record.authority.origins
    let key = if let grant { grant.dpopKey } else { try key(of: record, account) }
    server.prover = key.map(prover)
    server.hide(record.revocation?.refreshToken, record.revocation?.accessToken)
    server.hide(record.refreshToken, record.accessToken)
    server.hide(grant)
    return LiveServer(
      server: server, renewal: MetadataRenewal(source: source, edition: edition, bounds: bounds))
  }
}
