package import OAuth
package import Vocabulary
package import Platform
package import Vault

/// Why a session cannot do what was requested. The user can sign in again, try later or fix something.
package enum SessionError: Error, Hashable, Sendable {
  /// There is no account with this name. Nil if there are no accounts at all.
  case noAccount(name: String?, known: [String] = [])
  /// The account has no session.
  case signedOut(account: String)
  /// The server ended the grant (`invalid_grant`, RFC 6749 section 5.2).
  ///
  /// - Parameter reason: The server's description, cleaned for a terminal.
  case expired(account: String, reason: String? = nil)
  /// The session was only an access token, which was not stored and is lost.
  case notKept(account: String)
  /// The settings specify another server or client than at sign-in.
  ///
  /// - Parameter file: The file of certificate authorities, if its certificates have changed.
  case configurationChanged(account: String, setting: String, file: String? = nil)
  /// The metadata contains an endpoint whose origin was not known at sign-in.
  case endpointMoved(account: String, origin: String)
  /// An ID Token is for another user, client or sign-in than the first one (OpenID Connect Core, section 12.2),
  /// according to this claim. Nil if that was detected earlier.
  case identityChanged(account: String, claim: String? = nil)
  /// The account's resource now accepts only tokens of another authorization server.
  case resourceMoved(account: String, resource: String, issuer: String)
  /// Neither the ID Token of the sign-in nor a later one was verified.
  case identityUnverified(account: String)
  /// The sign-in returned no usable access token, but a refresh token, which is stored.
  indirect case signInKept(AccountConfiguration, because: SessionError)
  /// The server issued a grant, which was not stored for this reason.
  ///
  /// - Parameter isRevoked: Whether the grant was revoked. Otherwise it remains at the server.
  indirect case grantNotKept(because: SessionError, isRevoked: Bool)
  /// The new sign-in does not identify its user, so it may not replace the account's session (OpenID Connect Core,
  /// section 5.7).
  case identityUnknown(account: String)
  /// The lifetime of the new token, in seconds, is shorter than the caller requires.
  case lifetimeTooShort(account: String, lifetime: Int)
  /// The account does not list the origin. If nil, no account does.
  ///
  /// - Parameter url: The URL of the request without its query, if the request specifies no account.
  case originNotListed(account: String?, origin: String, url: String? = nil)
  /// The settings list the origin, but it was not confirmed in the vault.
  case originUnconfirmed(account: String, origin: String)
  /// The account lists the origin for this user name, but another one was requested.
  case originOfOtherUser(account: String, origin: String, user: String)
  /// Several accounts list the URL.
  case severalAccounts([String], origin: String)
  /// The URL cannot receive a token.
  case noPlace
  /// The content for a resource could not be read.
  case content
  /// There was no content for a resource during this time, in seconds.
  case contentLate(seconds: Int)
  /// A token with another target was requested, but there is no refresh token.
  case noOtherTokens(account: String)
  /// Cannot listen for the redirect of a sign-in. The port is nil if any was possible.
  case redirectUnavailable(port: Int?, SystemError)
  /// Another program uses the port of the redirect.
  case redirectPortTaken(port: Int, by: PortHolder)
  /// The account's redirect URI has no loopback address, so no browser can send the response here.
  case redirectElsewhere
  /// The provider only accepts redirect URIs registered with their port.
  case redirectNotNamed(provider: String)
  /// The sign-in has no client ID, and none is known for the server.
  case clientNotNamed(MissingClient)
  /// The provider requires a client secret, and none is known.
  case clientSecretNotNamed(MissingSecret)
  /// The URL cannot be the client ID.
  case clientURL(ClientURLProblem)
  /// The device flow does not support the requested authentication.
  case demandsNeedBrowser
  /// A session without a user requires client authentication (RFC 6749, section 4.4).
  case guestNeedsProof(account: String)
  /// A session without a user cannot replace a user's session.
  case guestOverUser(account: String)
  /// The assertion was not sent, because the server would reject it.
  case assertion(AssertionProblem, AssertionSource)
  /// The caller did not pass the variables for the assertion.
  case assertionVariables(account: String, AssertionSource)
  /// The source of the assertion failed or could not be reached.
  indirect case assertionSource(AssertionSource, because: SessionError)
  /// An assertion must first be requested with the ID Token of this account.
  case assertionOfAccount(String)
  /// The account has no ID Token for requesting an assertion, or it is past its `exp`.
  case idTokenNeeded(account: String, isExpired: Bool)
  /// The assertion's file is unusable.
  case assertionUnreadable(DirectoryError)
  /// The account renews with an assertion, but its settings specify no source.
  case assertionNotNamed(account: String)
  /// The secret of a registered client has expired (RFC 7591, section 3.2.1).
  case clientSecretExpired(account: String)
  case cancelled
  /// The resource returned the access token, which a peer of a lease must not see.
  case tokenReturned(origin: String)
  /// The process is ending. The next one will answer, unless the user stopped the daemon.
  case stopping(isForGood: Bool)
  /// Too many requests are waiting for servers.
  case tooBusy(underWay: Int)
  case oauth(OAuthError)
  case idToken(IDTokenError)
  case vault(VaultError)
  case configuration(ConfigurationError)
  /// There is no secure memory, or libcrypto failed.
  case memory

  /// The effect of a failed refresh on the session.
  package enum Effect: Sendable, Equatable {
    /// The account no longer has a grant.
    case signedOut
    /// The server ended the grant.
    case expired
    /// The session was only an access token, which is lost.
    case notKept
    /// Tokens are withheld until the settings or the server are as before, or the user signs in.
    case held(Hold)
    /// The grant remains, but only a sign-in is sure to help.
    case signInNeeded
    /// The session does not change.
    case none

    package enum Hold: Sendable { case settings, identity, accountMissing }
  }

  /// The only mapping from errors to effects. For OAuth errors, uses ``OAuthError/Code/meaning``.
  package var effect: Effect {
    switch self {
    case .expired: .expired
    case .notKept: .notKept
    case .signedOut: .signedOut
    case .configurationChanged, .endpointMoved, .resourceMoved: .held(.settings)
    case .identityChanged, .identityUnverified, .identityUnknown: .held(.identity)
    case .noAccount: .held(.accountMissing)
    case .oauth(let error):
      switch error.code.meaning {
      case .signInNeeded: .signInNeeded
      // If a refresh ends the grant, it fails with ``expired``. Other requests may be about another grant.
      case .grantEnded, .passing, .lasting: .none
      }
    case .signInKept, .grantNotKept, .lifetimeTooShort, .originNotListed, .originUnconfirmed, .originOfOtherUser,
      .severalAccounts,
      .noPlace, .content, .contentLate,
      .noOtherTokens, .redirectUnavailable, .redirectPortTaken, .redirectElsewhere, .redirectNotNamed,
      .clientNotNamed,
      .clientSecretNotNamed, .clientURL, .demandsNeedBrowser,
      .guestNeedsProof, .guestOverUser, .assertion, .assertionVariables, .assertionSource, .assertionOfAccount,
      .idTokenNeeded, .assertionUnreadable, .assertionNotNamed,
      .clientSecretExpired, .cancelled, .tokenReturned, .stopping, .tooBusy, .idToken, .vault, .configuration, .memory:
      .none
    }
  }

  /// Whether only a later response of the server can end the session's identity hold.
  var awaitsIdentity: Bool { effect == .held(.identity) }

  /// Whether only a sign-in is sure to help, although the grant remains.
  package var needsSignIn: Bool { effect == .signInNeeded }

  /// The server's own reason for ending the session, cleaned for a terminal.
  package var reasonForEnd: String? {
    if case .expired(_, let reason) = self { reason } else { nil }
  }

  /// Whether the server carried out or rejected a refresh in a way that an immediate retry cannot improve.
  var delaysCallers: Bool { needsSignIn || awaitsIdentity || leavesDoubt || refusalOutsideProtocol != nil }

  /// See ``OAuthError/isRefusalOutsideProtocol``.
  var refusalOutsideProtocol: OAuthError? {
    if case .oauth(let error) = self, error.isRefusalOutsideProtocol { error } else { nil }
  }

  /// The same failure, but requiring a sign-in.
  var needingSignIn: SessionError {
    guard case .oauth(var error) = self else { return self }
    error.code = .refreshRefused
    error.retryAfterSeconds = nil
    return .oauth(error)
  }

  /// Whether the same request may succeed later.
  package var isPassing: Bool {
    switch self {
    case .oauth(let error): error.code.meaning == .passing
    case .vault: isBusy
    case .tooBusy: true
    case .assertionSource(_, let error): error.isPassing
    default: false
    }
  }

  /// Whether another process held a file's lock for the entire wait.
  var isBusy: Bool {
    switch self {
    case .vault(let error): error.code == .busy || error.code == .busyHere
    case .configuration(let error): error.isBusy
    default: false
    }
  }

  /// Whether the same request may succeed later, and a retry does no harm.
  package var isWorthWaiting: Bool { isPassing && !leavesDoubt }

  /// Whether the response to a refresh is incomplete. The refresh token may have been replaced, and a server may treat
  /// its second use as theft and end the session (RFC 9700, section 4.14.2).
  var leavesDoubt: Bool {
    if case .oauth(let error) = self { return error.brokenAnswer }
    return false
  }

  /// Whether the server is known to be reachable. Without a network, a reused connection still accepts a request, so
  /// only a response proves it.
  package var reachedServer: Bool {
    guard case .oauth(let error) = self else { return true }
    return error.httpStatus != nil || error.brokenAnswer
  }

  /// Whether nothing was sent because the server was unreachable.
  package var neverLeft: Bool {
    guard case .oauth(let error) = self else { return false }
    return [.network, .proxyFailed, .connectionLost].contains(error.code) && !error.lostAnswer && !error.answerBegan
      && error.httpStatus == nil && !error.followsSuccess
  }

  /// The same failure, but after a successful request. For example, the keys could not be fetched after the tokens
  /// were.
  var followingSuccess: SessionError {
    guard case .oauth(var error) = self else { return self }
    error.followsSuccess = true
    error.lostAnswer = false
    error.answerBegan = false
    return .oauth(error)
  }

  /// The same failure, with the time left until the server may be contacted again.
  func asking(toWait left: Duration) -> SessionError {
    guard case .oauth(var error) = self else { return self }
    error.retryAfterSeconds = max(1, Int((left + .milliseconds(999)).components.seconds))
    return .oauth(error)
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

  /// Whether only unlocking helps.
  package var isLocked: Bool {
    if case .vault(let error) = self, case .locked = error.code { return true }
    return false
  }

  /// Whether the server's response could not be stored.
  var isOfStorage: Bool {
    switch self {
    case .vault, .configuration: true
    default: false
    }
  }

  /// Seconds until the same request may succeed. See ``OAuthError/retryAfterSeconds``.
  var retryAfterSeconds: Int? {
    if case .oauth(let error) = self { return error.retryAfterSeconds }
    return nil
  }
}

/// An error in the settings, with the file and member.
package struct ConfigurationError: Error, Sendable {
  package enum Code: Hashable, Sendable {
    /// Not JSON, or a member with an invalid type or value.
    case invalid
    case unknownMember(known: [String])
    case unsupportedVersion
    case tooManyAccounts
    /// The account to add already exists.
    case accountExists
    /// The account to change does not exist, or was changed meanwhile.
    case accountChanged
    case directory(DirectoryError)
    case storage(SystemError)
    /// Cannot read the certificate authority file. Nil if it contains no certificates.
    case caFile(SystemError?)
    case pin
    /// Empty, too long, or with characters that are not allowed (RFC 6749, appendix A.2).
    case clientSecret
    /// Empty, too long, or with characters that are not allowed (RFC 6749, appendix A.17).
    case refreshToken
    /// A passphrase or PIN that is empty, too long, or not UTF-8.
    case passphrase
    case clientKey(KeyProblem)
    /// Not certificates in PEM, or for another key.
    case clientCertificate
    /// The private key does not match this algorithm.
    case clientKeyAlgorithm
    case missingClientKey
    case missingClientCertificate
    case missingClientSecret
    /// An invalid ``ClientsFile``.
    case clientsFile
  }
  package enum KeyProblem: Hashable, Sendable {
    /// Neither PEM nor a JSON Web Key, or its numbers are inconsistent.
    case malformed
    case encrypted
    case unsupported
    /// RSA of less than 2048 bits (RFC 7518, section 3.3).
    case weak
    /// In a TPM and protected by its own authorization.
    case heldWithAuthorization
    /// In a TPM and bound to a policy, or not for ECDSA on P-256.
    case heldUnsuitably
  }

  package var code: Code

  /// The member, such as `accounts.work.issuer`, or a path.
  package var place: String

  package var expected: AccountSetting.Expectation?
  /// The line of the settings file with the member, or with the object in which it is missing.
  package var line: SettingsLine?

  package init(_ code: Code, _ place: String, expected: AccountSetting.Expectation? = nil) {
    self.code = code
    self.place = place
    self.expected = expected
  }

  /// Whether another process held the lock of the settings.
  var isBusy: Bool { if case .storage(let error) = code { error.isAgain } else { false } }
}

/// Explains how to get a client ID.
package struct MissingClient: Sendable, Hashable {
  /// The provider's title, or the issuer.
  package var server: String
  /// Nil if only the server's administrator can register a client.
  package var registration: Provider.Registration?
  /// The redirect URI to register, byte for byte. Nil if sign-in with a browser is not supported.
  package var redirectURI: String?
  /// Whether the server supports dynamic registration (RFC 7591).
  package var canRegister: Bool
  /// Whether the server accepts clients that publish their metadata (draft-ietf-oauth-client-id-metadata-document).
  package var canPublish: Bool

  package init(
    server: String, registration: Provider.Registration?, redirectURI: String?, canRegister: Bool,
    canPublish: Bool = false
  ) {
    self.server = server
    self.registration = registration
    self.redirectURI = redirectURI
    self.canRegister = canRegister
    self.canPublish = canPublish
  }
}

/// Explains how to get a client secret.
package struct MissingSecret: Sendable, Hashable {
  package var provider: String
  /// The page with the secret. Nil if only the server's administrator knows it.
  package var page: String?
  /// Whether a sign-in by device code works without the secret.
  package var isForBrowser: Bool

  package init(provider: String, page: String?, isForBrowser: Bool) {
    self.provider = provider
    self.page = page
    self.isForBrowser = isForBrowser
  }
}

/// Why a URL cannot be the client ID.
package enum ClientURLProblem: Sendable, Hashable {
  /// Nothing can be published at this URL.
  case malformed
  /// A published client has no secret.
  case secret
  /// The document cannot contain the properties that a certificate proves.
  case certificate
  /// The server does not accept published clients.
  case unannounced(canRegister: Bool)
}

/// Errors are equal if they have the same code and member.
extension ConfigurationError: Hashable {
  package static func == (one: ConfigurationError, other: ConfigurationError) -> Bool {
    one.code == other.code && one.place == other.place
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(place)
  }
}

extension SessionError {
  /// Whether another port may work.
  var isAboutPort: Bool {
    switch self {
    case .redirectUnavailable, .redirectPortTaken: true
    default: false
    }
  }
}
