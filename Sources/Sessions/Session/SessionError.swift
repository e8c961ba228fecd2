package import OAuth
package import Vocabulary
package import Platform
package import Vault

/// Why a session cannot do what was asked. There are three remedies: sign in again, try later, fix something.
package enum SessionError: Error, Hashable, Sendable {
  /// No account of that name among those that are known; nil when there is no account at all.
  case noAccount(name: String?, known: [String] = [])
  /// The account has no session.
  case signedOut(account: String)
  /// The authorization server ended the grant (`invalid_grant`, RFC 6749 section 5.2).
  ///
  /// - Parameter reason: The server's words, cleaned for a terminal.
  case expired(account: String, reason: String? = nil)
  /// The settings name another place or client than the one the person signed in at.
  ///
  /// - Parameter file: The file of certificate authorities, if its certificates are others.
  case configurationChanged(account: String, setting: String, file: String? = nil)
  /// The metadata names an endpoint at an origin that was not there at sign-in.
  case endpointMoved(account: String, origin: String)
  /// An ID Token names another person, client or sign-in than the first one (OpenID Connect Core, section 12.2), by
  /// this claim; nil when that was found earlier.
  case identityChanged(account: String, claim: String? = nil)
  /// The ID Token that came with the refresh token was not verified, and no later one was.
  case identityUnverified(account: String)
  /// The sign-in brought a refresh token, which is kept, and no access token that can be used.
  indirect case signInKept(AccountConfiguration, because: SessionError)
  /// The server gave a grant that is not kept for this reason.
  ///
  /// - Parameter isRevoked: The grant was ended at the server; else it is left there.
  indirect case grantNotKept(because: SessionError, isRevoked: Bool)
  /// The account is signed in, and the new sign-in does not say which user it is for (OpenID Connect Core, section
  /// 5.7).
  case identityUnknown(account: String)
  /// The new token lives for less time than the caller needs, in seconds.
  case lifetimeTooShort(account: String, lifetime: Int)
  /// The named account does not list the origin, or no account does.
  ///
  /// - Parameter url: The URL of the request without its query, if the request names no account.
  case originNotListed(account: String?, origin: String, url: String? = nil)
  /// The settings list the origin, but the vault does not: it was not confirmed.
  case originUnconfirmed(account: String, origin: String)
  /// The account lists the origin for this user name, and another one was asked for.
  case originOfOtherUser(account: String, origin: String, user: String)
  /// More than one account lists the place.
  case severalAccounts([String], origin: String)
  /// The place that a token is wanted for is no place that a token may go to.
  case noPlace
  /// The content for a resource could not be read.
  case content
  /// No content for a resource came for this time, in seconds.
  case contentLate(seconds: Int)
  /// A token with another target was asked for, and there is no refresh token to get it with.
  case noOtherTokens(account: String)
  /// The redirect of a sign-in cannot be listened for; the port is nil where none was named.
  case redirectUnavailable(port: Int?, SystemError)
  /// The redirect URI of the account leads to no loopback address, so no browser can bring the answer here.
  case redirectElsewhere
  /// The provider takes no redirect URI but one that was registered with its port.
  case redirectNotNamed(provider: String)
  /// The sign-in names no client, and the server knows none.
  case clientNotNamed(MissingClient)
  /// The provider gives no tokens without a client secret, and none is known.
  case clientSecretNotNamed(MissingSecret)
  /// A URL cannot be the client so.
  case clientURL(ClientURLProblem)
  /// A device code cannot carry what is asked of how the person signs in.
  case demandsNeedBrowser
  /// A session without a user is for clients that prove who they are (RFC 6749, section 4.4).
  case guestNeedsProof(account: String)
  /// A user is signed in, whose place a session without one must not take.
  case guestOverUser(account: String)
  /// The assertion from there is not sent, since the server would refuse it.
  case assertion(AssertionProblem, AssertionSource)
  /// The caller has not handed over the variables that the assertion comes from.
  case assertionVariables(account: String, AssertionSource)
  /// The source of the assertion could not be asked, or failed.
  indirect case assertionSource(AssertionSource, because: SessionError)
  /// The assertion is to be got by the ID Token of this account first.
  case assertionOfAccount(String)
  /// The account has no ID Token to get an assertion by, or one that is past its `exp`.
  case idTokenNeeded(account: String, isExpired: Bool)
  /// The file of the assertion cannot be used.
  case assertionUnreadable(DirectoryError)
  /// The account is renewed by an assertion, and its settings name none.
  case assertionNotNamed(account: String)
  /// The secret of a registered client is past its end (RFC 7591, section 3.2.1).
  case clientSecretExpired(account: String)
  case cancelled
  /// The resource sent the access token back to a peer of a lease.
  case tokenReturned(origin: String)
  /// The process ends. Another one can be asked, unless the user stopped the daemon.
  case stopping(isForGood: Bool)
  /// No thread is free to wait for a server; so many others wait already.
  case tooBusy(underWay: Int)
  case oauth(OAuthError)
  case idToken(IDTokenError)
  case vault(VaultError)
  case configuration(ConfigurationError)
  /// There is no memory for a secret, or libcrypto failed.
  case memory

  /// The effect of a failed refresh on the session.
  package enum Effect: Sendable, Equatable {
    /// The account has no grant any more.
    case signedOut
    /// The server ended the grant.
    case expired
    /// No token is handed out until the settings or the server are as they were, or until a sign-in.
    case held(Hold)
    /// The grant stays, and only a sign-in is sure to help.
    case signInNeeded
    /// The session is as it was.
    case none

    package enum Hold: Sendable { case settings, identity, accountMissing }
  }

  /// Decided here and nowhere else; for an error of the protocol in ``OAuthError/Code/meaning``.
  package var effect: Effect {
    switch self {
    case .expired: .expired
    case .signedOut: .signedOut
    case .configurationChanged, .endpointMoved: .held(.settings)
    case .identityChanged, .identityUnverified, .identityUnknown: .held(.identity)
    case .noAccount: .held(.accountMissing)
    case .oauth(let error):
      switch error.code.meaning {
      case .signInNeeded: .signInNeeded
      // A refresh whose grant is ended fails with ``expired``; another request may mean another grant.
      case .grantEnded, .passing, .lasting: .none
      }
    case .signInKept, .grantNotKept, .lifetimeTooShort, .originNotListed, .originUnconfirmed, .originOfOtherUser,
      .severalAccounts,
      .noPlace, .content, .contentLate,
      .noOtherTokens, .redirectUnavailable, .redirectElsewhere, .redirectNotNamed, .clientNotNamed,
      .clientSecretNotNamed, .clientURL, .demandsNeedBrowser,
      .guestNeedsProof, .guestOverUser, .assertion, .assertionVariables, .assertionSource, .assertionOfAccount,
      .idTokenNeeded, .assertionUnreadable, .assertionNotNamed,
      .clientSecretExpired, .cancelled, .tokenReturned, .stopping, .tooBusy, .idToken, .vault, .configuration, .memory:
      .none
    }
  }

  /// Whether only a later answer of the server can end the identity hold of the session.
  var awaitsIdentity: Bool { effect == .held(.identity) }

  /// Whether only a sign-in is sure to help, though the grant stays.
  package var needsSignIn: Bool { effect == .signInNeeded }

  /// Whether the server carried a refresh out, or refused it, in a way that an immediate repetition cannot better.
  var delaysCallers: Bool { needsSignIn || awaitsIdentity || leavesDoubt || refusalOutsideProtocol != nil }

  /// See ``OAuthError/isRefusalOutsideProtocol``.
  var refusalOutsideProtocol: OAuthError? {
    if case .oauth(let error) = self, error.isRefusalOutsideProtocol { error } else { nil }
  }

  /// The same failure as one that only a sign-in is sure to help with.
  var needingSignIn: SessionError {
    guard case .oauth(var error) = self else { return self }
    error.code = .refreshRefused
    error.retryAfterSeconds = nil
    return .oauth(error)
  }

  /// Whether the same request may succeed later without anyone doing anything.
  package var isPassing: Bool {
    switch self {
    case .oauth(let error): error.code.meaning == .passing
    case .vault: isBusy
    case .tooBusy: true
    case .assertionSource(_, let error): error.isPassing
    default: false
    }
  }

  /// Whether a lock of a file here was busy for the whole wait.
  var isBusy: Bool {
    switch self {
    case .vault(let error): error.code == .busy || error.code == .busyHere
    case .configuration(let error): error.isBusy
    default: false
    }
  }

  /// Whether the same request may succeed later, and trying does no harm.
  package var isWorthWaiting: Bool { isPassing && !leavesDoubt }

  /// An answer to a refresh began and did not get here whole: the refresh token may have been replaced, and a
  /// server may take its second use for a theft and end the session (RFC 9700, section 4.14.2).
  var leavesDoubt: Bool {
    if case .oauth(let error) = self { return error.brokenAnswer }
    return false
  }

  /// Whether the server is known to be in reach. A connection that was kept open takes a request without a word
  /// when the network is gone, so only an answer proves it.
  package var reachedServer: Bool {
    guard case .oauth(let error) = self else { return true }
    return error.httpStatus != nil || error.brokenAnswer
  }

  /// Nothing was sent: there was no way to the server.
  package var neverLeft: Bool {
    guard case .oauth(let error) = self else { return false }
    return [.network, .proxyFailed, .connectionLost].contains(error.code) && !error.lostAnswer && !error.answerBegan
      && error.httpStatus == nil && !error.followsSuccess
  }

  /// The same failure, marked as one after a successful request, such as a fetch of the issuer's keys after the tokens.
  var followingSuccess: SessionError {
    guard case .oauth(var error) = self else { return self }
    error.followsSuccess = true
    error.lostAnswer = false
    error.answerBegan = false
    return .oauth(error)
  }

  /// The same failure with the time that is left until the server may be asked again.
  func asking(toWait left: Duration) -> SessionError {
    guard case .oauth(var error) = self else { return self }
    error.retryAfterSeconds = max(1, Int((left + .milliseconds(999)).components.seconds))
    return .oauth(error)
  }

  /// Whether this program gave the request up.
  package var isCancellation: Bool {
    switch self {
    case .cancelled: true
    case .oauth(let error): error.code == .cancelled
    case .assertionSource(_, let error): error.isCancellation
    default: false
    }
  }

  /// Whether only an unlock helps.
  package var isLocked: Bool {
    if case .vault(let error) = self, case .locked = error.code { return true }
    return false
  }

  /// Whether what the server gave could not be written here.
  var isOfStorage: Bool {
    switch self {
    case .vault, .configuration: true
    default: false
    }
  }

  /// Seconds until the same request may succeed: see ``OAuthError/retryAfterSeconds``.
  var retryAfterSeconds: Int? {
    if case .oauth(let error) = self { return error.retryAfterSeconds }
    return nil
  }
}

/// An error in the settings, by file and member.
package struct ConfigurationError: Error, Sendable {
  package enum Code: Hashable, Sendable {
    /// Not JSON, or a member of the wrong type or range.
    case invalid
    /// A member that an object of the settings file cannot have.
    case unknownMember(known: [String])
    case unsupportedVersion
    case tooManyAccounts
    /// The account that was to be added is there already.
    case accountExists
    /// The account that was to be changed is not there, or not as it was.
    case accountChanged
    case directory(DirectoryError)
    case storage(SystemError)
    /// A certificate authority file that cannot be read, or with nil one that does not hold certificates.
    case caFile(SystemError?)
    case proxy
    case pin
    /// Empty, too long, or with characters that no client secret has (RFC 6749, appendix A.2).
    case clientSecret
    /// Empty, too long, or with characters that no refresh token has (RFC 6749, appendix A.17).
    case refreshToken
    /// A passphrase or PIN that is empty, too long, or not UTF-8.
    case passphrase
    /// A private key that cannot be used.
    case clientKey(KeyProblem)
    /// Not certificates in PEM form, or not for the private key.
    case clientCertificate
    /// The private key is not one for this algorithm.
    case clientKeyAlgorithm
    /// The client authentication method needs a private key and there is none.
    case missingClientKey
    /// The client authentication method needs a certificate and there is none.
    case missingClientCertificate
    /// The client authentication method needs a secret and there is none.
    case missingClientSecret
    /// A ``ClientsFile`` that is not valid.
    case clientsFile
  }
  /// The problem with a private key.
  package enum KeyProblem: Hashable, Sendable {
    /// Neither PEM nor a JSON Web Key, or its numbers do not belong together.
    case malformed
    /// Only a passphrase opens it.
    case encrypted
    /// Of a kind that we cannot sign with.
    case unsupported
    /// RSA of less than 2048 bits (RFC 7518, section 3.3).
    case weak
    /// In a TPM, with an authorization of its own.
    case heldWithAuthorization
    /// In a TPM, and not one for ECDSA on P-256, or bound to a policy.
    case heldUnsuitably
  }

  package var code: Code

  /// The member at fault in our words, such as `accounts.work.issuer`; or a path.
  package var place: String

  /// The valid values of a setting that has another one.
  package var expected: AccountSetting.Expectation?
  /// The line of the settings file with the member, or with the object that it is missing in.
  package var line: SettingsLine?

  package init(_ code: Code, _ place: String, expected: AccountSetting.Expectation? = nil) {
    self.code = code
    self.place = place
    self.expected = expected
  }

  /// Whether another process kept the lock of the settings.
  var isBusy: Bool { if case .storage(let error) = code { error.isAgain } else { false } }
}

/// The steps by which a person gets a client id.
package struct MissingClient: Sendable, Hashable {
  /// The provider's title, or the issuer.
  package var server: String
  /// Nil where only the server's administrator knows.
  package var registration: Provider.Registration?
  /// The redirect URI to register, byte for byte; nil where a sign-in by browser is not offered.
  package var redirectURI: String?
  /// The server registers clients by itself (RFC 7591).
  package var canRegister: Bool
  /// The server takes clients that publish their metadata (draft-ietf-oauth-client-id-metadata-document).
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

/// The client secret that a sign-in lacks.
package struct MissingSecret: Sendable, Hashable {
  /// The provider's title.
  package var provider: String
  /// Where the secret is shown; nil where only the server's administrator knows.
  package var page: String?
  /// Whether a sign-in by device code does without.
  package var isForBrowser: Bool

  package init(provider: String, page: String?, isForBrowser: Bool) {
    self.provider = provider
    self.page = page
    self.isForBrowser = isForBrowser
  }
}

/// Why a URL cannot be the client.
package enum ClientURLProblem: Sendable, Hashable {
  /// Nothing can be published at it.
  case malformed
  /// A published client has no secret.
  case secret
  /// The document does not hold what a certificate proves.
  case certificate
  /// The server does not take such clients.
  case unannounced(canRegister: Bool)
}

/// Errors are equal if they have the same code and are about the same place.
extension ConfigurationError: Hashable {
  package static func == (one: ConfigurationError, other: ConfigurationError) -> Bool {
    one.code == other.code && one.place == other.place
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(place)
  }
}
