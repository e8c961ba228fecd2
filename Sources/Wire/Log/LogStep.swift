internal import Encoding
package import Vocabulary

/// A step of the daemon's work for a request, with the reason. Steps are published and logged only for requests with
/// `verbose`, but requests to servers are always logged. As in every ``LogEvent``, a step has no text but the URL of a request.
package enum LogStep: Sendable, Hashable {
  /// The cached token was returned; nil if the server named no lifetime.
  case tokenServed(secondsLeft: Int?)
  /// The server cannot be reached, so a token was returned that is due for renewal.
  case servedOffline
  case refreshNeeded(RefreshReason)
  /// The request waits for the running refresh of another request.
  case refreshJoined
  /// Another process changed the account's record, so the cached token is no longer valid.
  case recordChanged
  /// A step of a session's operation.
  case session(SessionStep)
  case unanswered(RequestLine, FailureCode, ConnectionProblem?, milliseconds: Int)
  /// The ID Token identifies the user, so UserInfo is not requested.
  case identityKnown
  /// The user has not decided yet; the next poll is after this time.
  case signInPending(seconds: Int)

  /// The reason why the cached token is not returned.
  package enum RefreshReason: Sendable, Hashable {
    case noToken
    /// The caller requested a new token.
    case asked
    /// The resource rejected the token.
    case refused
    case ending(secondsLeft: Int, secondsWanted: Int)
  }
}

extension LogStep {
  /// Whether it is a request to a server.
  package var isRequest: Bool {
    switch self {
    case .session(.answered), .unanswered: true
    default: false
    }
  }

  /// Whether it is a failure.
  var isFailure: Bool {
    if case .unanswered = self { return true }
    return false
  }

  /// The step as one line of text.
  var text: String {
    switch self {
    case .tokenServed(nil): "using the cached token, which has no known expiry"
    case .tokenServed(.some(let left)): "using the cached token, \(PlainTime.short(left)) left"
    case .servedOffline: "cannot reach the server: using the cached token until it expires"
    case .refreshNeeded(.noToken): "no cached token: refreshing"
    case .refreshNeeded(.asked): "a new token was requested: refreshing"
    case .refreshNeeded(.refused): "the resource rejected the cached token: refreshing"
    case .refreshNeeded(.ending(let left, let wanted)):
      "the cached token has \(left) s left, less than \(wanted) s: refreshing"
    case .refreshJoined: "waiting for a running refresh"
    case .recordChanged: "another process changed the account's record: dropping the cached token"
    case .session(.waitedForAccount(let time)): "waited \(time) ms for the account's lock, which another process held"
    case .session(.recordRead): "the account's record was read from the vault"
    case .session(.recordWritten): "the account's record is on disk"
    case .session(.documentKept(let endpoint, let age)): "\(endpoint.title) from the cache, \(age) s old"
    case .session(.keysDoubted): "the cached keys do not fit a signed token: fetching the key set again"
    case .session(.metadataDoubted): "the cached metadata may be out of date: fetching them again"
    case .session(.answered(let line, let status, let time)):
      "\(line.role.title): \(line.method) \(line.url): HTTP status \(status) in \(PlainTime.precise(milliseconds: time))"
    case .unanswered(let line, let code, let problem, let time):
      "\(line.role.title): \(line.method) \(line.url): failed after \(PlainTime.precise(milliseconds: time)): \(problem?.title ?? code.rawValue)"
    case .session(.idTokenVerified(let algorithm)): "the ID Token was verified: \(algorithm.rawValue)"
    case .identityKnown: "the ID Token identifies the user: no UserInfo request"
    case .signInPending(let seconds): "not approved yet: next poll in \(seconds) s"
    }
  }
}
