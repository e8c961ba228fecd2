package import OAuth
package import Platform
package import Vault

package enum SessionError: Error, Hashable, Sendable {
  /// No account has this name, which is nil if there are no accounts. `known` are the existing ones.
  case noAccount(name: String?, known: [String] = [])
  case signedOut(account: String)
  /// The server ended the grant (`invalid_grant`, RFC 6749 section 5.2). `reason` is its description, without control
  /// characters.
  case expired(account: String, reason: String? = nil)
  /// The session was only an access token, which is lost.
  case notKept(account: String)
  /// The settings specify another server or client than at sign-in. `file` is the certificate authority file, if
  /// changed.
  case configurationChanged(account: String, setting: String, file: String? = nil)
  /// The metadata contains an endpoint whose origin was not known at sign-in.
  case endpointMoved(account: String, origin: String)
  /// An ID Token differs from the first one in `claim` (OpenID Connect Core section 12.2), which is nil in records of
  /// older versions.
  case identityChanged(account: String, claim: String? = nil)
  /// The account's resource now accepts only tokens of another authorization server.
  case resourceMoved(account: String, resource: String, issuer: String)
  /// No ID Token of the session has been verified yet.
  case identityUnverified(account: String)
  /// The sign-in returned no usable access token, but its refresh token is stored with these settings.
  indirect case onlyRefreshTokenStored(AccountConfiguration, because: SessionError)
  /// The server issued a grant, which could not be stored. Unless `isRevoked` is true, it still exists at the server.
  indirect case grantNotStored(because: SessionError, isRevoked: Bool)
  /// The sign-in does not identify its user, so it may not replace the session (OpenID Connect Core section 5.7).
  case identityUnknown(account: String)
  /// The new token's lifetime, in seconds, is shorter than the caller requires.
  case lifetimeTooShort(account: String, lifetime: Int)
  /// The account does not list the origin. The account is nil if none does. `url` is the request's URL without its
  /// query, if the caller named no account.
  case originNotListed(account: String?, origin: String, url: String? = nil)
  /// The settings list the origin, but it was not confirmed in the vault.
  case originUnconfirmed(account: String, origin: String)
  /// The account lists the origin for this user name, but the caller requested another.
  case originOfOtherUser(account: String, origin: String, user: String)
  /// Several accounts list the URL equally well.
  case severalAccounts([String], origin: String)
  /// The text is not a URL that can receive a token.
  case unsuitableURL
  /// The content for a resource could not be read.
  case content
  /// No content for a resource arrived for this long.
  case contentTimedOut(seconds: Int)
  /// A token for another target was requested, but there is no refresh token.
  case otherTokensUnavailable(account: String)
  /// Cannot listen for a sign-in's redirect. The port is nil if any would do.
  case redirectUnavailable(port: Int?, SystemError)
  case redirectPortTaken(port: Int, by: PortListener)
  /// The redirect URI has no loopback address, so the browser cannot reach this machine.
  case redirectNotLoopback
  /// The provider requires a redirect URI with its registered port, and the sign-in specifies none.
  case redirectURINeeded(provider: String)
  /// No client ID is specified or known for the server.
  case clientIDNeeded(MissingClient)
  case clientSecretNeeded(MissingSecret)
  case unusableClientURL(ClientURLProblem)
  /// The sign-in requires options for authentication that only a browser supports.
  case requirementsNeedBrowser
  /// The client does not authenticate, so it cannot get a session without a user (RFC 6749, section 4.4).
  case guestMustAuthenticate(account: String)
  /// A session without a user cannot replace a user's session.
  case guestCannotReplaceUser(account: String)
  /// The assertion was not sent, because the server would reject it.
  case assertion(AssertionProblem, AssertionSource)
  case assertionVariablesMissing(account: String, AssertionSource)
  /// The source of the assertion failed or could not be reached.
  indirect case assertionSource(AssertionSource, because: SessionError)
  /// An assertion must first be requested from this other account.
  case assertionNeededFrom(String)
  /// There is no ID Token for requesting an assertion, or an expired one.
  case idTokenNeeded(account: String, isExpired: Bool)
  /// The assertion's file is unusable.
  case assertionUnreadable(DirectoryError)
  /// The account renews with an assertion, but its settings specify no source.
  case assertionSourceNeeded(account: String)
  /// The secret of a registered client has expired (RFC 7591, section 3.2.1).
  case clientSecretExpired(account: String)
  case cancelled
  /// A resource's response to a lease contained the access token.
  case tokenReturned(origin: String)
  /// The process is ending. If the user has stopped the daemon (`isPermanent`), no other process follows.
  case stopping(isPermanent: Bool)
  /// Too many requests (`underWay`) are waiting for servers.
  case tooBusy(underWay: Int)
  case oauth(OAuthError)
  case idToken(IDTokenError)
  case vault(VaultError)
  case configuration(ConfigurationError)
  /// Secure memory is full, or libcrypto failed.
  case memory

  /// The effect of a failed refresh on the session.
  package enum Effect: Sendable, Equatable {
    /// There is no grant (`signedOut`), the server ended it (`expired`), or the session was only an access token, which
    /// is lost (`notKept`).
    case ended(SessionState)
    /// Tokens are withheld until the settings or the server change back, or the user signs in.
    case blocked(BlockReason)
    /// The grant remains, but only a sign-in is certain to help.
    case signInNeeded
    case none

    /// Changed settings, an uncertain user, or a missing account.
    package enum BlockReason: Sendable { case settings, identity, accountMissing }
  }

  /// The error's effect on the session (invariant: one fact, one place).
  package var effect: Effect {
    switch self {
    case .expired: .ended(.expired)
    case .notKept: .ended(.notKept)
    case .signedOut: .ended(.signedOut)
    case .configurationChanged, .endpointMoved, .resourceMoved: .blocked(.settings)
    case .identityChanged, .identityUnverified, .identityUnknown: .blocked(.identity)
    case .noAccount: .blocked(.accountMissing)
    case .oauth(let error):
      switch error.code.effect {
      case .signInNeeded: .signInNeeded
      // A refresh with an ended grant fails with ``expired(account:reason:)``.
      case .grantEnded, .temporary, .permanent: .none
      }
    case .onlyRefreshTokenStored, .grantNotStored, .lifetimeTooShort, .originNotListed, .originUnconfirmed,
      .originOfOtherUser,
      .severalAccounts,
      .unsuitableURL, .content, .contentTimedOut,
      .otherTokensUnavailable, .redirectUnavailable, .redirectPortTaken, .redirectNotLoopback, .redirectURINeeded,
      .clientIDNeeded,
      .clientSecretNeeded, .unusableClientURL, .requirementsNeedBrowser,
      .guestMustAuthenticate, .guestCannotReplaceUser, .assertion, .assertionVariablesMissing, .assertionSource,
      .assertionNeededFrom,
      .idTokenNeeded, .assertionUnreadable, .assertionSourceNeeded,
      .clientSecretExpired, .cancelled, .tokenReturned, .stopping, .tooBusy, .idToken, .vault, .configuration, .memory:
      .none
    }
  }

  /// Whether only a later ID Token can unblock the account.
  var awaitsIdentity: Bool { effect == .blocked(.identity) }

  package var needsSignIn: Bool { effect == .signInNeeded }

  /// The reason that the server gave for ending the session.
  package var reasonForEnd: String? {
    if case .expired(_, let reason) = self { reason } else { nil }
  }

  /// Whether the response to a refresh shows that an immediate retry cannot help.
  var delaysCallers: Bool { needsSignIn || awaitsIdentity || mayHaveReplacedToken || refusalOutsideProtocol != nil }

  /// The error, if a refresh was rejected without an OAuth error code.
  var refusalOutsideProtocol: OAuthError? { oauthError.flatMap { $0.isRefusalOutsideProtocol ? $0 : nil } }

  private var oauthError: OAuthError? { if case .oauth(let error) = self { error } else { nil } }

  /// Changes the error if it is an OAuth error.
  private func changed(_ change: (inout OAuthError) -> Void) -> SessionError {
    guard var error = oauthError else { return self }
    change(&error)
    return .oauth(error)
  }

  /// Makes the error require a sign-in.
  var needingSignIn: SessionError {
    changed {
      $0.code = .refreshRefused
      $0.retryAfterSeconds = nil
    }
  }

  /// Whether the same request may succeed later.
  package var isTemporary: Bool {
    switch self {
    case .oauth(let error): error.code.effect == .temporary
    case .vault: isBusy
    case .tooBusy: true
    case .assertionSource(_, let error): error.isTemporary
    default: false
    }
  }

  /// Whether the wait for a lock timed out.
  var isBusy: Bool {
    switch self {
    case .vault(let error): error.code == .busy || error.code == .busyInProcess
    case .configuration(let error): error.isBusy
    default: false
    }
  }

  /// Whether repeating the request may help and does no harm.
  package var isSafeToRetry: Bool { isTemporary && !mayHaveReplacedToken }

  /// Whether the response to a refresh was incomplete. A second use of the refresh token may then end the session (RFC
  /// 9700, section 4.14.2).
  var mayHaveReplacedToken: Bool { oauthError?.isResponseUnusable ?? false }

  /// Whether the server responded. Always true unless this is an OAuth error.
  package var reachedServer: Bool { oauthError.map { $0.httpStatus != nil || $0.isResponseUnusable } ?? true }

  /// Whether nothing was sent, because the server was unreachable.
  package var wasNeverSent: Bool {
    guard let error = oauthError else { return false }
    return [.network, .proxyFailed, .connectionLost].contains(error.code) && !error.isResponseLost
      && !error.hasResponseBegun
      && error.httpStatus == nil && !error.followsSuccess
  }

  /// Marks the error as following a successful request.
  var followingSuccess: SessionError {
    changed {
      $0.followsSuccess = true
      $0.isResponseLost = false
      $0.hasResponseBegun = false
    }
  }

  /// Adds the time until the server may be contacted again.
  func asking(toWait left: Duration) -> SessionError {
    changed { $0.retryAfterSeconds = max(1, Int((left + .milliseconds(999)).components.seconds)) }
  }

  /// Whether this program cancelled the request.
  package var isCancellation: Bool {
    switch self {
    case .cancelled: true
    case .oauth(let error): error.code == .cancelled
    case .assertionSource(_, let error): error.isCancellation
    default: false
    }
  }

  /// Whether the vault must be unlocked.
  package var isLocked: Bool {
    if case .vault(let error) = self, case .locked = error.code { return true }
    return false
  }

  /// Whether the server's response could not be stored.
  var isStorageFailure: Bool {
    switch self {
    case .vault, .configuration: true
    default: false
    }
  }

  var retryAfterSeconds: Int? { oauthError?.retryAfterSeconds }

  /// Whether another port may work.
  var isPortUnavailable: Bool {
    switch self {
    case .redirectUnavailable, .redirectPortTaken: true
    default: false
    }
  }
}

/// An error in the settings, with the file or member.
package struct ConfigurationError: Error, Sendable, Hashable {
  package enum Code: Hashable, Sendable {
    /// Not JSON, or a member has an invalid type or value.
    case invalid
    /// The settings contain a member that is not one of these.
    case unknownMember(known: [String])
    case unsupportedVersion
    case tooManyAccounts
    case accountExists
    /// The account to change does not exist, or was changed by another process.
    case accountChanged
    case directory(DirectoryError)
    /// The settings file cannot be accessed.
    case storage(SystemError)
    /// The certificate authority file is unreadable, or contains no certificates (nil).
    case caFile(SystemError?)
    /// A public key pin is not `sha256//` and a SHA-256 digest in Base64.
    case invalidPin
    case unusableSecret(Secret, SecretProblem)
    /// The passphrase or PIN is empty, too long, or not UTF-8.
    case invalidPassphrase
    case unusableClientKey(KeyProblem)
    /// The file does not contain PEM certificates, or they are not for the client's key.
    case unusableClientCertificate
    case mismatchedKeyAlgorithm
    case missingClientKey
    case missingClientCertificate
    case missingClientSecret
    case clientsFile(AdministratorFiles.Problem)
    /// The provider is neither built in nor defined by a valid file of the administrator.
    case unknownProvider
  }
  /// A secret, key or certificate of a client.
  package enum Secret: Hashable, Sendable {
    case clientSecret, initialAccessToken, refreshToken, clientKey, clientCertificate
  }
  package enum SecretProblem: Hashable, Sendable {
    case empty
    case tooLong
    case unreadable
    /// Not one line of printable ASCII (RFC 6749, appendices A.2 and A.17).
    case malformed
  }
  package enum KeyProblem: Hashable, Sendable {
    /// The file is neither PEM nor a JSON Web Key, or the key's numbers are inconsistent.
    case malformed
    case encrypted
    case unsupported
    /// RSA of less than 2048 bits (RFC 7518, section 3.3).
    case weak
    case tpmKeyNeedsPassword
    /// The key is in a TPM, but bound to a policy or not usable for ECDSA on P-256.
    case tpmKeyUnsuitable
  }

  package var code: Code

  /// The path of a member, such as `accounts.work.issuer`, or of a file.
  package var path: String

  package var expected: AccountSetting.Expectation?
  /// The position of the member, or of the object that lacks it, in the settings file.
  package var line: SettingsLine?

  package init(_ code: Code, _ path: String, expected: AccountSetting.Expectation? = nil) {
    self.code = code
    self.path = path
    self.expected = expected
  }

  /// Whether another process held the settings' lock until the timeout.
  var isBusy: Bool { if case .storage(let error) = code { error.wouldBlock } else { false } }

  package static func == (one: ConfigurationError, other: ConfigurationError) -> Bool {
    one.code == other.code && one.path == other.path
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(path)
  }
}

/// Details for a hint on a missing client ID.
package struct MissingClient: Sendable, Hashable {
  /// The provider's title, or the issuer.
  package var server: String
  /// How to register a client. Nil if only the server's administrator can.
  package var registration: Provider.Registration?
  /// The redirect URI to register. Nil without browser sign-ins.
  package var redirectURI: String?
  /// Whether the server supports dynamic registration (RFC 7591).
  package var canRegister: Bool
  /// Whether the server accepts clients that publish their metadata (draft-ietf-oauth-client-id-metadata-document).
  package var canPublish = false
}

/// Details for a hint on a missing client secret.
package struct MissingSecret: Sendable, Hashable {
  package var provider: String
  /// The page that shows the secret. Nil if only the server's administrator knows it.
  package var page: String?
  /// Whether only sign-ins by browser need the secret.
  package var isForBrowser: Bool
}

/// Why a URL cannot be the client ID.
package enum ClientURLProblem: Sendable, Hashable {
  /// No document can be published at this URL.
  case malformed
  /// A published client cannot have a secret.
  case secret
  /// The document cannot describe the client's certificate.
  case certificate
  /// The server does not accept published clients. `canRegister`: whether it registers clients.
  case unannounced(canRegister: Bool)
}
