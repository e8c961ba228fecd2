package import OAuth
package import Platform
package import Vault

package enum SessionError: Error, Hashable, Sendable {
  /// `name` is nil if there are no accounts. `known` are the existing ones.
  case noAccount(name: String?, known: [String] = [])
  case signedOut(account: String)
  /// The server ended the grant (`invalid_grant`, RFC 6749 section 5.2). `reason` is its text without control
  /// characters.
  case expired(account: String, reason: String? = nil)
  /// The session was only an access token, which is lost.
  case notKept(account: String)
  /// The settings specify another server or client than at sign-in. `file` is the changed certificate authority file,
  /// if any.
  case configurationChanged(account: String, setting: String, file: String? = nil)
  /// The metadata contains an endpoint at an origin unknown at sign-in.
  case endpointMoved(account: String, origin: String)
  /// An ID Token differs from the first in `claim` (OpenID Connect Core section 12.2), nil in old records.
  case identityChanged(account: String, claim: String? = nil)
  /// The account's resource now accepts only tokens of another authorization server.
  case resourceMoved(account: String, resource: String, issuer: String)
  /// The first ID Token could not be verified.
  case identityUnverified(account: String)
  /// The sign-in returned no usable access token, but a refresh token was stored with these settings.
  indirect case onlyRefreshTokenStored(AccountConfiguration, because: SessionError)
  /// A new grant could not be stored. Unless `isRevoked`, it still exists at the server.
  indirect case grantNotStored(because: SessionError, isRevoked: Bool)
  /// Without an ID Token, a sign-in must not replace a known user's session (OpenID Connect Core section 5.7).
  case identityUnknown(account: String)
  /// The token's lifetime, in seconds, is shorter than the caller requires.
  case lifetimeTooShort(account: String, lifetime: Int)
  /// The account does not list the origin; nil if none does. `url` is the request's URL without query, if no account
  /// was named.
  case originNotListed(account: String?, origin: String, url: String? = nil)
  /// The settings list the origin, but it was not confirmed in the vault.
  case originUnconfirmed(account: String, origin: String)
  /// The account lists the origin for this user name, not the requested one.
  case originOfOtherUser(account: String, origin: String, user: String)
  /// Several accounts list the URL equally well.
  case severalAccounts([String], origin: String)
  /// The text is not a URL that can receive a token.
  case unsuitableURL
  /// The content for a resource could not be read.
  case content
  case contentTimedOut(seconds: Int)
  /// Tokens for other targets need a refresh token, which is missing.
  case otherTokensUnavailable(account: String)
  /// Cannot listen for a sign-in's redirect. The port is nil if any would do.
  case redirectUnavailable(port: Int?, SystemError)
  case redirectPortTaken(port: Int, by: PortListener)
  case redirectNotLoopback
  /// The provider requires a redirect URI with its registered port.
  case redirectURINeeded(provider: String)
  case clientIDNeeded(MissingClient)
  case clientSecretNeeded(MissingSecret)
  case unusableClientURL(ClientURLProblem)
  /// The sign-in's authentication options require a browser.
  case requirementsNeedBrowser
  /// A session without a user needs client authentication (RFC 6749, section 4.4).
  case guestMustAuthenticate(account: String)
  /// A session without a user cannot replace a user's session.
  case guestCannotReplaceUser(account: String)
  /// The server would reject the assertion, which was not sent.
  case assertion(AssertionProblem, AssertionSource)
  case assertionVariablesMissing(account: String, AssertionSource)
  indirect case assertionSource(AssertionSource, because: SessionError)
  /// An assertion must first be requested from this account.
  case assertionNeededFrom(String)
  /// An assertion request needs an unexpired ID Token.
  case idTokenNeeded(account: String, isExpired: Bool)
  case assertionUnreadable(DirectoryError)
  /// The settings specify no source for renewing with an assertion.
  case assertionSourceNeeded(account: String)
  case clientSecretExpired(account: String)
  case cancelled
  /// A resource's response to a lease contained the access token.
  case tokenReturned(origin: String)
  /// The process is ending. `isPermanent`: the user stopped the daemon, so no other follows.
  case stopping(isPermanent: Bool)
  /// Too many requests (`underWay`) are waiting for servers.
  case tooBusy(underWay: Int)
  case oauth(OAuthError)
  case idToken(IDTokenError)
  case vault(VaultError)
  case configuration(ConfigurationError)
  /// Secure memory is full, or libcrypto failed.
  case memory

  /// A failed refresh's effect on the session.
  package enum Effect: Sendable, Equatable {
    /// `signedOut`, `expired` or `notKept`.
    case ended(SessionState)
    /// Tokens are withheld until the settings or the server change back, or the user signs in.
    case blocked(BlockReason)
    /// The grant remains, but only a sign-in is certain to help.
    case signInNeeded
    case none

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

  package var reasonForEnd: String? {
    if case .expired(_, let reason) = self { reason } else { nil }
  }

  /// Whether an immediate retry cannot help.
  var delaysCallers: Bool { needsSignIn || awaitsIdentity || mayHaveReplacedToken || refusalOutsideProtocol != nil }

  /// The error, if a refresh was rejected without an OAuth error code.
  var refusalOutsideProtocol: OAuthError? { oauthError.flatMap { $0.isRefusalOutsideProtocol ? $0 : nil } }

  private var oauthError: OAuthError? { if case .oauth(let error) = self { error } else { nil } }

  private func changed(_ change: (inout OAuthError) -> Void) -> SessionError {
    guard var error = oauthError else { return self }
    change(&error)
    return .oauth(error)
  }

  /// An OAuth error changed to require a sign-in. Other errors are unchanged.
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

  /// Whether the response to a refresh was incomplete. A second use of the refresh token may end the session (RFC 9700,
  /// section 4.14.2).
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

  /// Adds how long to wait before the next request to the server.
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

/// An error in the settings.
package struct ConfigurationError: Error, Sendable, Hashable {
  package enum Code: Hashable, Sendable {
    /// Not JSON, or a member has an invalid type or value.
    case invalid
    /// A member is not one of these.
    case unknownMember(known: [String])
    case unsupportedVersion
    case tooManyAccounts
    case accountExists
    /// The account does not exist, or another process changed it.
    case accountChanged
    case directory(DirectoryError)
    case storage(SystemError)
    /// The certificate authority file is unreadable, or contains no certificates (nil).
    case caFile(SystemError?)
    /// Not `sha256//` and a SHA-256 digest in Base64.
    case invalidPin
    case unusableSecret(Secret, SecretProblem)
    /// The passphrase or PIN is empty, too long, or not UTF-8.
    case invalidPassphrase
    case unusableClientKey(KeyProblem)
    /// Not PEM certificates, or not for the client's key.
    case unusableClientCertificate
    /// The client's key cannot be used with the algorithm in ``ConfigurationError/path``.
    case mismatchedKeyAlgorithm
    case missingClientKey
    case missingClientCertificate
    case missingClientSecret
    case clientsFile(AdministratorFiles.Problem)
    /// Neither built in nor in a valid file of the administrator.
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
    /// Neither PEM nor a JSON Web Key, or inconsistent numbers.
    case malformed
    case encrypted
    case unsupported
    /// RSA of less than 2048 bits (RFC 7518, section 3.3).
    case weak
    case tpmKeyNeedsPassword
    /// The TPM key is bound to a policy or not usable for ECDSA on P-256.
    case tpmKeyUnsuitable
  }

  package var code: Code

  /// The path of a member, such as `accounts.work.issuer`, or of a file.
  package var path: String

  package var expected: AccountSetting.Expectation?
  /// The position of the member, or of the object that lacks it.
  package var line: SettingsLine?

  package init(_ code: Code, _ path: String, expected: AccountSetting.Expectation? = nil) {
    self.code = code
    self.path = path
    self.expected = expected
  }

  /// Whether another process had the settings' lock until the timeout.
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
  /// Nil if only the server's administrator can register a client.
  package var registration: Provider.Registration?
  /// Nil without browser sign-ins.
  package var redirectURI: String?
  /// Whether the server supports dynamic registration (RFC 7591).
  package var canRegister: Bool
  /// Whether the server accepts client IDs that are metadata URLs (draft-ietf-oauth-client-id-metadata-document).
  package var canPublish = false
}

/// Details for a hint on a missing client secret.
package struct MissingSecret: Sendable, Hashable {
  package var provider: String
  /// The page with the secret. Nil if only the server's administrator knows it.
  package var page: String?
  /// Whether only sign-ins by browser need the secret.
  package var isForBrowser: Bool
}

/// Why a URL cannot be the client ID.
package enum ClientURLProblem: Sendable, Hashable {
  case malformed
  /// The client has or needs a secret.
  case secret
  /// The client authenticates with a certificate.
  case certificate
  /// The server does not accept client metadata URLs. `canRegister`: whether it registers clients.
  case unannounced(canRegister: Bool)
}
