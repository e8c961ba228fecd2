internal import Encoding

/// What the daemon does on its way to an answer, and why. A step is told only while somebody who asked
/// for it waits, and is in the log then too. As in every ``LogEvent``, no text fits in it.
package enum LogStep: Sendable, Hashable {
  /// From memory; nil when the server named no lifetime.
  case tokenServed(secondsLeft: Int?)
  /// The server cannot be reached, so a token is served that should have been renewed.
  case servedOffline
  case refreshNeeded(RefreshReason)
  /// Another caller's refresh is under way, and its token will do.
  case refreshJoined
  /// Another process changed the account's record, so the token at hand does not count any more.
  case recordChanged
  /// Another process held the account for so long.
  case waitedForAccount(milliseconds: Int)
  case recordRead
  case recordWritten
  /// A public document was at hand.
  case documentKept(Endpoint, ageSeconds: Int)
  /// A signed token does not fit the keys at hand, so they are fetched again.
  case keysDoubted
  /// An endpoint is gone, or the metadata at hand name a place that must get nothing, so they are fetched again.
  case metadataDoubted
  /// The status is that of HTTP.
  case answered(Endpoint, status: Int, milliseconds: Int)
  case unanswered(Endpoint, FailureCode, milliseconds: Int)
  case idTokenVerified(Algorithm)
  /// The ID Token tells who is signed in, so nobody is asked.
  case identityKnown
  /// The person has not decided yet; the server is asked again after so long.
  case signInPending(seconds: Int)

  /// Why the token at hand is not handed out.
  package enum RefreshReason: Sendable, Hashable {
    case noToken
    /// The caller wants a new one.
    case asked
    /// The server does not take it any more.
    case refused
    case ending(secondsLeft: Int, secondsWanted: Int)
  }

  /// Whom the daemon speaks to.
  package enum Endpoint: String, Sendable, CaseIterable {
    case metadata, keys, authorization
    case pushedAuthorization = "pushed_authorization"
    case deviceAuthorization = "device_authorization"
    case token, userinfo, introspection, revocation, registration, resource

    fileprivate var title: String {
      switch self {
      case .metadata: "metadata"
      case .keys: "key set"
      case .authorization: "authorization endpoint"
      case .pushedAuthorization: "pushed authorization request endpoint"
      case .deviceAuthorization: "device authorization endpoint"
      case .token: "token endpoint"
      case .userinfo: "UserInfo endpoint"
      case .introspection: "introspection endpoint"
      case .revocation: "revocation endpoint"
      case .registration: "client registration endpoint"
      case .resource: "resource"
      }
    }
  }

  /// What an ID Token can be protected with (RFC 7518, section 3.1; RFC 8037; RFC 9864).
  package enum Algorithm: String, Sendable, CaseIterable {
    // The names are those on the wire.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, Ed25519
    case HS256, HS384, HS512

    /// Whether the key is a secret that both sides know.
    var isSymmetric: Bool {
      switch self {
      case .HS256, .HS384, .HS512: true
      default: false
      }
    }
  }
}

extension LogStep {
  /// Whether it tells that something did not work.
  var isFailure: Bool {
    if case .unanswered = self { return true }
    return false
  }

  /// One line for a person.
  var text: String {
    switch self {
    case .tokenServed(nil): "the token at hand is taken; the server named no end of it"
    case .tokenServed(.some(let left)): "the token at hand is taken; it has \(left) s left"
    case .servedOffline: "the server cannot be reached: the token at hand is given out until it expires"
    case .refreshNeeded(.noToken): "there is no token at hand: refreshing"
    case .refreshNeeded(.asked): "a new token is asked for: refreshing"
    case .refreshNeeded(.refused): "the server refuses the token at hand: refreshing"
    case .refreshNeeded(.ending(let left, let wanted)):
      "the token at hand has \(left) s left, less than \(wanted) s: refreshing"
    case .refreshJoined: "waiting for a refresh that is under way"
    case .recordChanged: "another process changed the account's record: the token at hand is forgotten"
    case .waitedForAccount(let time): "waited \(time) ms for another process that held the account"
    case .recordRead: "the account's record was read from the vault"
    case .recordWritten: "the account's record is on disk"
    case .documentKept(let endpoint, let age): "\(endpoint.title) from the cache, \(age) s old"
    case .keysDoubted: "a signed token does not fit the keys at hand: asking for the key set again"
    case .metadataDoubted: "the metadata at hand may be out of date: asking for them again"
    case .answered(let endpoint, let status, let time): "\(endpoint.title): HTTP status \(status) in \(time) ms"
    case .unanswered(let endpoint, let code, let time): "\(endpoint.title): \(code.rawValue) after \(time) ms"
    case .idTokenVerified(let algorithm): "the ID Token was verified: \(algorithm.rawValue)"
    case .identityKnown: "the ID Token tells who is signed in: no question to the server"
    case .signInPending(let seconds): "not approved yet: asking again in \(seconds) s"
    }
  }
}
