internal import Encoding

/// A step, logged only for a `verbose` request unless it is a request to a server. The only free text is that request's
/// URL.
package enum LogStep: Sendable, Hashable {
  /// The cached token was returned; nil without a known expiry.
  case tokenServed(secondsLeft: Int?)
  /// The cached token was returned because the server is unreachable.
  case servedOffline
  case refreshNeeded(RefreshReason)
  /// Waits for another request's refresh.
  case refreshJoined
  /// Another process changed the account's record; the cached token is dropped.
  case recordChanged
  case session(SessionStep)
  case unanswered(RequestLine, FailureCode, ConnectionProblem?, milliseconds: Int)
  /// The ID Token identifies the user; UserInfo is not requested.
  case identityKnown
  /// Not approved yet; the next poll is in `seconds`.
  case signInPending(seconds: Int)

  /// Why the cached token is not returned.
  package enum RefreshReason: Sendable, Hashable {
    case noToken
    case requested
    /// The resource rejected the token.
    case refused
    case expiring(secondsLeft: Int, secondsWanted: Int)

    fileprivate var description: (members: [(String, JSON?)], text: String) {
      switch self {
      case .noToken: ([("reason", "no_token")], "no cached token")
      case .requested: ([("reason", "asked")], "a new token was requested")
      case .refused: ([("reason", "refused")], "the resource rejected the cached token")
      case .expiring(let left, let wanted):
        (
          [("reason", "ending"), ("seconds_left", .int(left)), ("seconds_wanted", .int(wanted))],
          "the cached token has \(left) s left, less than \(wanted) s"
        )
      }
    }
  }

  package var isRequest: Bool {
    switch self {
    case .session(.answered), .unanswered: true
    default: false
    }
  }

  var properties: LogProperties {
    switch self {
    case .tokenServed(let left):
      LogProperties(
        "token_served", [("seconds_left", left.map(JSON.int))],
        "using the cached token, " + (left.map { "\(ReadableTime.short($0)) left" } ?? "which has no known expiry"))
    case .servedOffline:
      LogProperties("served_offline", "cannot reach the server: using the cached token until it expires")
    case .refreshNeeded(let reason):
      LogProperties("refresh_needed", reason.description.members, "\(reason.description.text): refreshing")
    case .refreshJoined: LogProperties("refresh_joined", "waiting for a running refresh")
    case .recordChanged:
      LogProperties("record_changed", "another process changed the account's record: dropping the cached token")
    case .session(let step): step.properties
    case .unanswered(let line, let code, let problem, let time):
      LogProperties(
        "unanswered",
        line.members + [
          ("result", .string(code.rawValue)), ("cause", problem.map { .string($0.rawValue) }),
          ("duration_ms", .int(time)),
        ], isFailure: true,
        "\(line.text): failed after \(ReadableTime.precise(milliseconds: time)): \(problem?.title ?? code.rawValue)")
    case .identityKnown: LogProperties("identity_known", "the ID Token identifies the user: no UserInfo request")
    case .signInPending(let seconds):
      LogProperties("sign_in_pending", [("seconds", .int(seconds))], "not approved yet: next poll in \(seconds) s")
    }
  }
}

extension SessionStep {
  fileprivate var properties: LogProperties {
    switch self {
    case .waitedForAccount(let time):
      LogProperties(
        "waited_for_account", [("duration_ms", .int(time))],
        "waited \(time) ms for the account's lock, which another process held")
    case .recordRead: LogProperties("record_read", "the account's record was read from the vault")
    case .recordWritten: LogProperties("record_written", "the account's record is on disk")
    case .cachedDocumentUsed(let endpoint, let age):
      LogProperties(
        "document_kept", [("endpoint", .string(endpoint.rawValue)), ("seconds", .int(age))],
        "\(endpoint.title) from the cache, \(age) s old")
    case .cachedKeysRejected:
      LogProperties("keys_doubted", "the cached keys do not fit a signed token: fetching the key set again")
    case .cachedMetadataRejected:
      LogProperties("metadata_doubted", "the cached metadata may be out of date: fetching them again")
    case .answered(let line, let status, let time):
      LogProperties(
        "answered", line.members + [("status", .int(status)), ("duration_ms", .int(time))],
        "\(line.text): HTTP status \(status) in \(ReadableTime.precise(milliseconds: time))")
    case .idTokenVerified(let algorithm):
      LogProperties(
        "id_token_verified", [("algorithm", .string(algorithm.rawValue))],
        "the ID Token was verified: \(algorithm.rawValue)")
    }
  }
}

extension RequestLine {
  fileprivate var members: [(String, JSON?)] {
    [("endpoint", .string(role.rawValue)), ("method", .string(method)), ("url", .string(url))]
  }

  fileprivate var text: String { "\(role.title): \(method) \(url)" }
}
