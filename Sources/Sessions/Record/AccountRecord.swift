package import Crypto
internal import Encoding
package import OAuth
internal import Vault

/// The vault's record of an account. Serialized only in secret memory.
@dynamicMemberLookup
package struct AccountRecord: Sendable {
  package var authority: Authority
  /// The claims `iss sub aud azp auth_time nonce` of the first ID Token, if any (OpenID Connect Core section 12.2).
  package var identity: IdentityRecord?
  /// The user according to the latest ID Token.
  package var label: PersonLabel?
  /// The scope of the account's own token, if the grant also includes the scopes of listed origins.
  package var ownScope: String?
  /// Stored only if the settings require it and the account cannot refresh.
  package var accessToken: SharedSecret?
  /// In unix seconds, only without a refresh token. Nil if the server sent no lifetime.
  package var accessTokenExpiresAt: Int?
  /// The latest verified ID Token in compact form, possibly expired.
  package var idToken: SharedSecret?
  package var credentials = ClientCredentials()
  /// A serialized ``DPoPKey``. Nil for Bearer tokens.
  package var dpopKey: SharedSecret?
  /// Nil unless the client was registered dynamically.
  package var registration: ClientRegistrationRecord?
  /// The latest sign-in's redirect URI, without a port if the server allows any. Nil in old records: the standard URI
  /// with the issuer in its path.
  package var redirectURI: String?
  /// Whether the sign-in began at a resource that named the server (RFC 9728). The server must then announce PKCE, and
  /// token requests name the resource (RFC 8707).
  package var beganAtResource = false
  /// Whether a refresh was refused for naming the resource (`invalid_target`).
  package var refusesResource = false
  /// Whether the server refused the device grant, so that sign-ins use a browser.
  package var isDeviceGrantRefused = false
  /// The DPoP proof algorithms announced by the account's resource.
  package var proofAlgorithms: [String] = []
  /// `user:password`.
  package var proxyCredentials: SharedSecret?
  /// In unix seconds.
  package var signedInAt: Int
  /// Whether the server ended the grant. The identity is kept: the next sign-in must be for the same user.
  package var isExpired = false
  /// The server's reason, without control characters.
  package var expiryReason: String?
  /// Whether the session had no refresh token, and its access token was never stored. Also sets ``isExpired``, for
  /// older versions.
  package var isTokenNotStored = false
  /// Whether the user signed out. Only ``revocation`` and the client's registration remain.
  package var isSignedOut = false
  /// The tokens that a sign-out has not revoked yet. Nil while signed in.
  package var revocation: PendingRevocation?
  /// Nil if there is a user.
  package var unattended: UnattendedGrant?
  package init(authority: Authority, signedInAt: Int) {
    self.authority = authority
    self.signedInAt = signedInAt
  }

  /// Members that a refresh may change.
  package struct RefreshedMembers: Sendable {
    package var refreshToken: SharedSecret?
    /// Nil if the server sent none.
    package var scope: String?
    /// As last sent by the server (RFC 9396).
    package var authorizationDetails: AuthorizationDetails?
    package var expiry = GrantExpiry()
    /// In unix seconds.
    package var refreshedAt: Int?
    /// Withholds tokens until an ID Token proves that the user is the signed-in one.
    package var identityBlock: IdentityBlock?
  }

  var refreshedMembers = RefreshedMembers()

  package subscript<Value>(dynamicMember member: WritableKeyPath<RefreshedMembers, Value>) -> Value {
    get { refreshedMembers[keyPath: member] }
    set { refreshedMembers[keyPath: member] = newValue }
  }

  package struct PendingRevocation: Sendable {
    package var refreshToken: SharedSecret?
    package var accessToken: SharedSecret?
    /// A deadline in unix seconds.
    package let until: Int
  }

  /// The members of the stored JSON, by type.
  private static let flags: [(String, any WritableKeyPath<AccountRecord, Bool> & Sendable)] = [
    ("expired", \.isExpired), ("not_kept", \.isTokenNotStored), ("signed_out", \.isSignedOut),
    ("announced_pkce", \.beganAtResource), ("refuses_resource", \.refusesResource),
    ("device_forbidden", \.isDeviceGrantRefused),
  ]

  private static let texts: [(String, any WritableKeyPath<AccountRecord, String?> & Sendable)] = [
    ("scope", \.refreshedMembers.scope), ("own_scope", \.ownScope), ("expiry_reason", \.expiryReason),
    ("redirect_uri", \.redirectURI),
  ]

  private static let secretMembers: [(String, any WritableKeyPath<AccountRecord, SharedSecret?> & Sendable)] = [
    ("refresh_token", \.refreshedMembers.refreshToken), ("access_token", \.accessToken), ("id_token", \.idToken),
    ("client_secret", \.credentials.secret),
    ("registration_access_token", \.registrationToken),
    ("client_key", \.credentials.key), ("client_certificate", \.credentials.certificate),
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

  /// The claims of ``idToken``.
  var claims: JSONObject? {
    idToken?.bytes.withBytes { try? JWTClaims(ofVerified: $0).object }
  }

  mutating func setIDToken(_ token: IDToken, _ compact: SharedSecret?) {
    idToken = compact
    label = PersonLabel(claims: token.claims) ?? label
  }

  /// The error if the session has ended without a sign-out. `now` is in unix seconds.
  package func endError(_ account: AccountName, now: Int) -> SessionError? {
    guard isExpired else { return nil }
    // The token is only in a daemon's memory.
    if isTokenNotStored, accessTokenExpiresAt.map({ now < $0 }) ?? true { return .notKept(account: account.text) }
    return .expired(account: account.text, reason: expiryReason)
  }

  /// Serializes the record as JSON, in `arena` while it has memory. Throws `memory` if secret memory is full.
  package func serialized(in arena: SecretArena? = nil) throws(SessionError) -> SecretBytes {
    var open = JSONObject([("authority", authority.json), ("signed_in_at", .int(signedInAt))])
    for (name, path) in Self.flags where self[keyPath: path] { open[name] = true }
    for (name, path) in Self.texts { open[name] = self[keyPath: path].map { .string($0) } }
    open["identity"] = identity?.json
    open["label"] = label.map { .string($0.text) }
    open["authorization_details"] = refreshedMembers.authorizationDetails?.json
    open["refreshed_at"] = refreshedMembers.refreshedAt.map { .int($0) }
    open["access_token_expires_at"] = accessTokenExpiresAt.map { .int($0) }
    if let unattended { open[unattended.rawValue] = true }
    if !proofAlgorithms.isEmpty { open["proof_algorithms"] = .array(proofAlgorithms.map(JSON.string)) }
    open["revoke_until"] = revocation.map { .int($0.until) }
    open["registration"] = registration.map { .object($0.publicMembers) }
    open["identity_changed"] = refreshedMembers.identityBlock?.json
    open["grant_expiry"] = refreshedMembers.expiry.json
    var buffer = SecretBuffer(capacity: 4096, in: arena)
    buffer.append(utf8: "{\"open\":")
    buffer.append(json: .object(open))
    for (name, path) in Self.secretMembers {
      guard let secret = self[keyPath: path] else { continue }
      secret.bytes.withBytes { buffer.append(member: name, bytes: $0) }
    }
    buffer.append(utf8: "}")
    do { return try buffer.finish() } catch { throw .memory }
  }

  /// Parses the output of ``serialized(in:)``.
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
      for (name, path) in Self.flags { record[keyPath: path] = open[name]?.bool ?? false }
      for (name, path) in Self.texts { record[keyPath: path] = open[name]?.string }
      record.label = open["label"]?.string.flatMap { PersonLabel($0) }
      record.authorizationDetails = open["authorization_details"].flatMap { AuthorizationDetails($0) }
      record.refreshedAt = open["refreshed_at"]?.int
      record.accessTokenExpiresAt = open["access_token_expires_at"]?.int
      record.unattended = UnattendedGrant.allCases.first { open[$0.rawValue]?.bool == true }
      record.proofAlgorithms = open["proof_algorithms"]?.array?.compactMap(\.string) ?? []
      record.revocation = open["revoke_until"]?.int.map { PendingRevocation(until: $0) }
      record.registration = open["registration"]?.object.map { ClientRegistrationRecord($0) }
      record.identityBlock = open["identity_changed"].flatMap(IdentityBlock.init(json:))
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

/// The user is uncertain until a refresh returns an ID Token that matches the first one (OpenID Connect Core section
/// 12.2), or a new sign-in.
package enum IdentityBlock: Sendable, Hashable {
  /// A later ID Token differed in this claim. Nil in old records.
  case changed(claim: String?)
  /// The first ID Token could not be verified.
  case unverified

  /// Older versions read it as a claim's name.
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

  func error(_ account: AccountName) -> SessionError {
    switch self {
    case .changed(let claim): .identityChanged(account: account.text, claim: claim)
    case .unverified: .identityUnverified(account: account.text)
    }
  }
}

/// A record and the number of the write that stored it.
struct StoredRecord {
  var record: AccountRecord
  let generation: UInt64
}
