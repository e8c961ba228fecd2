package import Crypto
internal import Encoding
internal import JOSE
package import OAuth
internal import Vault
package import Vocabulary

/// The vault's record of one account: its secrets, the origins they may go to, and the user they belong to.
///
/// In memory the secrets live in ``SharedSecret``s; as a whole the record exists only as bytes in secret memory.
package struct AccountRecord: Sendable {
  package var authority: Authority
  /// The first ID Token's `iss sub aud azp auth_time nonce` (OpenID Connect Core, section 12.2).
  package var identity: IdentityRecord?
  /// The person, by the last verified ID Token that told it.
  package var label: PersonLabel?
  /// The granted scope, as text; nil when the server named none.
  package var scope: String?
  /// The granted authorization details (RFC 9396), as the server said last.
  package var authorizationDetails: AuthorizationDetails?
  package var refreshToken: SharedSecret?
  package var expiry = GrantExpiry()
  /// Kept only for an account that asked for it and cannot refresh.
  package var accessToken: SharedSecret?
  /// When the kept access token dies, in unix seconds; nil when the server named no lifetime.
  package var accessTokenExpiresAt: Int?
  /// The last verified ID Token in compact form: who is signed in, also without the network. It may be past its `exp`.
  package var idToken: SharedSecret?
  package var clientSecret: SharedSecret?
  /// The key that the tokens are bound to, as ``DPoPKey`` writes it; nil for Bearer tokens.
  package var dpopKey: SharedSecret?
  /// As in ``ClientCredentials``.
  package var clientKey: SharedSecret?
  package var clientCertificate: SharedSecret?
  /// The client that was registered for the account; nil for one that was registered by hand.
  package var registration: ClientRegistrationRecord?
  /// The redirect URI of the last sign-in, without a port where any will do; nil in a record of a version that did not
  /// write it down, which had the standard one with the issuer in its path.
  package var redirectURI: String?
  /// A sign-in began at a resource that named the server (RFC 9728), so each sign-in there wants PKCE to be announced.
  package var needsAnnouncedPKCE = false
  /// The algorithms of DPoP proofs that this resource takes; empty where it does not say.
  package var proofAlgorithms: [String] = []
  /// `user:password` of the account's proxy.
  package var proxyCredentials: SharedSecret?
  /// Unix seconds.
  package var signedInAt: Int
  package var refreshedAt: Int?
  /// The server ended the grant; the identity is kept so that the next sign-in is for the same person.
  package var isExpired = false
  /// The server's words about that, cleaned for a terminal; nil if there were none.
  package var expiryReason: String?
  /// The user signed out. The record then holds the client's registration, which the next sign-in and its own deletion
  /// need, and ``revocation``.
  package var isSignedOut = false
  /// The tokens that a sign-out has not revoked yet. Nothing else uses them.
  package var revocation: Revocation?
  /// There is no user, and this is how tokens are got; nil for a user's session.
  package var unattended: UnattendedGrant?
  /// Why no token is handed out until an ID Token shows that the session is that of the user who signed in.
  package var identityHold: IdentityHold?

  package init(authority: Authority, signedInAt: Int) {
    self.authority = authority
    self.signedInAt = signedInAt
  }

  /// The members that a refresh changes.
  struct Renewal: Sendable {
    let refreshToken: SharedSecret?
    let scope: String?
    let authorizationDetails: AuthorizationDetails?
    let expiry: GrantExpiry
    let refreshedAt: Int?
    let identityHold: IdentityHold?
  }

  var renewal: Renewal {
    get {
      Renewal(
        refreshToken: refreshToken, scope: scope, authorizationDetails: authorizationDetails, expiry: expiry,
        refreshedAt: refreshedAt, identityHold: identityHold)
    }
    set {
      (refreshToken, scope, authorizationDetails) = (
        newValue.refreshToken, newValue.scope, newValue.authorizationDetails
      )
      (expiry, refreshedAt, identityHold) = (newValue.expiry, newValue.refreshedAt, newValue.identityHold)
    }
  }

  /// Tokens to be revoked.
  package struct Revocation: Sendable {
    package var refreshToken: SharedSecret?
    package var accessToken: SharedSecret?
    /// When that is given up, in unix seconds.
    package let until: Int
  }
}

/// A doubt about the user of a session. It blocks the account until an ID Token of a refresh matches the first one, or
/// until the next sign-in (OpenID Connect Core, section 12.2). An answer without an ID Token does not end it.
package enum IdentityHold: Sendable, Hashable {
  /// A later ID Token differs from the first one in this claim; nil in a record of a version that did not write it down.
  case changed(claim: String?)
  /// The ID Token that came first could not be verified.
  case unverified

  /// In the place of a claim's name, so that a version that does not know it holds the account too.
  private static let unverifiedWord = "unverified"

  init?(json: JSON) {
    guard json.bool == true || json.string != nil else { return nil }
    self = json.string == Self.unverifiedWord ? .unverified : .changed(claim: json.string)
  }

  var json: JSON {
    switch self {
    case .changed(let claim): claim.map { .string($0) } ?? true
    case .unverified: .string(Self.unverifiedWord)
    }
  }

  /// Why the account has no token.
  func error(_ account: AccountName) -> SessionError {
    switch self {
    case .changed(let claim): .identityChanged(account: account.text, claim: claim)
    case .unverified: .identityUnverified(account: account.text)
    }
  }
}

extension AccountRecord {
  private static let secretMembers: [(String, any WritableKeyPath<AccountRecord, SharedSecret?> & Sendable)] = [
    ("refresh_token", \.refreshToken), ("access_token", \.accessToken), ("id_token", \.idToken),
    ("client_secret", \.clientSecret),
    ("registration_access_token", \.registrationToken),
    ("client_key", \.clientKey), ("client_certificate", \.clientCertificate),
    ("proxy_credentials", \.proxyCredentials), ("dpop_key", \.dpopKey),
    ("revoked_refresh_token", \.revokedRefreshToken), ("revoked_access_token", \.revokedAccessToken),
  ]

  private var revokedRefreshToken: SharedSecret? {
    get { revocation?.refreshToken }
    set { revocation?.refreshToken = newValue }
  }

  private var revokedAccessToken: SharedSecret? {
    get { revocation?.accessToken }
    set { revocation?.accessToken = newValue }
  }

  /// The claims of the verified ID Token; nil when there is none.
  var claims: JSONObject? {
    idToken?.bytes.withBytes { try? JWTClaims(ofVerified: $0).object }
  }

  /// Keeps a verified ID Token, and the person that it tells of.
  mutating func keep(_ token: IDToken, _ compact: SharedSecret?) {
    idToken = compact
    label = PersonLabel(claims: token.claims) ?? label
  }

  /// The credentials that authenticate the client.
  package var credentials: ClientCredentials {
    get { ClientCredentials(secret: clientSecret, key: clientKey, certificate: clientCertificate) }
    set { (clientSecret, clientKey, clientCertificate) = (newValue.secret, newValue.key, newValue.certificate) }
  }

  /// The record as the vault keeps it: a JSON text in secret memory.
  ///
  /// - Parameter room: Where the memory is taken from, as long as there is some.
  /// - Throws: ``SessionError/memory`` when there is no memory for it.
  package func sealedContent(in room: SecretRoom? = nil) throws(SessionError) -> SecretBytes {
    var open = JSONObject([("authority", authority.json), ("signed_in_at", .int(signedInAt))])
    open["identity"] = identity?.json
    open["label"] = label.map { .string($0.text) }
    open["scope"] = scope.map { .string($0) }
    open["authorization_details"] = authorizationDetails?.json
    open["refreshed_at"] = refreshedAt.map { .int($0) }
    open["access_token_expires_at"] = accessTokenExpiresAt.map { .int($0) }
    if isExpired { open["expired"] = true }
    open["expiry_reason"] = expiryReason.map { .string($0) }
    if isSignedOut { open["signed_out"] = true }
    if unattended == .client { open["guest"] = true }
    if unattended == .assertion { open["assertion"] = true }
    if needsAnnouncedPKCE { open["announced_pkce"] = true }
    if !proofAlgorithms.isEmpty { open["proof_algorithms"] = .array(proofAlgorithms.map(JSON.string)) }
    open["revoke_until"] = revocation.map { .int($0.until) }
    open["redirect_uri"] = redirectURI.map { .string($0) }
    open["registration"] = registration.map { .object($0.open) }
    open["identity_changed"] = identityHold?.json
    open["grant_expiry"] = expiry.json
    var buffer = SecretBuffer(capacity: 4096, in: room)
    buffer.append(utf8: "{\"open\":")
    buffer.append(json: .object(open))
    for (name, path) in Self.secretMembers {
      guard let secret = self[keyPath: path] else { continue }
      buffer.append(utf8: ",\"\(name)\":")
      secret.bytes.withBytes { buffer.append(jsonStringBytes: $0) }
    }
    buffer.append(utf8: "}")
    do { return try buffer.finish() } catch { throw .memory }
  }

  /// Reads what ``sealedContent()`` wrote.
  ///
  /// - Throws: a vault error `damaged` when it is anything else.
  package init(content: borrowing SecretBytes, account: AccountName) throws(SessionError) {
    let damaged = SessionError.vault(VaultError(.damaged, path: account.text))
    let parsed: AccountRecord? = try content.withBytes { (bytes) throws(SessionError) -> AccountRecord? in
      guard let layout = try? JSONLayout(parsing: bytes), let open = layout.root["open"]?.value(in: bytes),
        let authority = open["authority"].flatMap(Authority.init(json:)), let signedInAt = open["signed_in_at"]?.int
      else { return nil }
      var record = AccountRecord(authority: authority, signedInAt: signedInAt)
      if let identity = open["identity"] {
        guard let identity = IdentityRecord(json: identity) else { return nil }
        record.identity = identity
      }
      record.label = open["label"]?.string.flatMap { PersonLabel($0) }
      record.scope = open["scope"]?.string
      record.authorizationDetails = open["authorization_details"].flatMap { AuthorizationDetails($0) }
      record.refreshedAt = open["refreshed_at"]?.int
      record.accessTokenExpiresAt = open["access_token_expires_at"]?.int
      record.isExpired = open["expired"]?.bool ?? false
      record.expiryReason = open["expiry_reason"]?.string
      record.isSignedOut = open["signed_out"]?.bool ?? false
      if open["guest"]?.bool == true { record.unattended = .client }
      if open["assertion"]?.bool == true { record.unattended = .assertion }
      record.needsAnnouncedPKCE = open["announced_pkce"]?.bool ?? false
      record.proofAlgorithms = open["proof_algorithms"]?.array?.compactMap(\.string) ?? []
      record.revocation = open["revoke_until"]?.int.map { Revocation(until: $0) }
      record.redirectURI = open["redirect_uri"]?.string
      record.registration = open["registration"]?.object.map { ClientRegistrationRecord($0) }
      record.identityHold = open["identity_changed"].flatMap(IdentityHold.init(json:))
      record.expiry = GrantExpiry(json: open["grant_expiry"])
      for (name, path) in Self.secretMembers {
        guard let node = layout.root[name] else { continue }
        guard node.kind == .string else { return nil }
        record[keyPath: path] = try Self.secret(node, in: bytes)
      }
      return record
    }
    guard let parsed else { throw damaged }
    self = parsed
  }

  private static func secret(
    _ node: JSONLayout.Node, in bytes: Span<UInt8>
  ) throws(SessionError) -> SharedSecret {
    var text = SecretBuffer(capacity: (node.stringByteCount ?? 0) + 1)
    node.appendString(in: bytes, to: &text)
    do { return SharedSecret(try text.finish()) } catch { throw .memory }
  }
}

/// A record with the number of the write that made it.
struct StoredRecord {
  let record: AccountRecord
  let generation: UInt64
}
