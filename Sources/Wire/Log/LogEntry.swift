package import Encoding
internal import Vocabulary

/// One line of the daemon's log.
package struct LogEntry: Sendable, Hashable {
  /// Unix seconds.
  package let time: Int
  /// A valid account name; nil if the event is about no account.
  package let account: String?
  package let event: LogEvent

  package init(time: Int, account: String?, event: LogEvent) {
    self.time = time
    self.account = account
    self.event = event
  }

  /// `{"time","account","event",…}`.
  package var json: JSONObject {
    var object = JSONObject([("time", .int(time))])
    object["account"] = account.map { .string($0) }
    event.addMembers(to: &object)
    return object
  }

  /// Reads what ``json`` writes; nil for an event that this build does not know.
  package init?(json: JSON) {
    guard let time = json["time"]?.int, let event = LogEvent(json) else { return nil }
    self.init(time: time, account: json["account"]?.string, event: event)
  }

  /// The entry as text, without a line feed.
  package var text: String { text { Timestamp.rfc3339($0) } }

  /// The same with the time as a reader wants it.
  ///
  /// - Parameter stamp: Writes unix seconds.
  package func text(_ stamp: (Int) -> String) -> String { "\(stamp(time)) \(sentence)" }

  /// The text without the time.
  package var sentence: String {
    let place = account.map { "\(TerminalText.clean($0, limit: 64)): " } ?? ""
    return place + event.text
  }
}

extension LogEvent {
  /// Whether it is a failure.
  package var isFailure: Bool {
    switch self {
    case .refreshEnded(_, let code), .signInEnded(_, let code): code != nil
    case .signedOut(let result): result == .failed
    case .checked(_, let result): result == .failed
    case .watchUnavailable, .peerDropped, .requestTimedOut, .redirectForeign, .keySetWarning,
      .authenticationTimeChanged, .commandFailed, .commandsDropped:
      true
    case .tokenFile(let change): change == .failed
    case .step(let step): step.isFailure
    case .tokenExpired: true
    case .started, .stopping, .refreshBegan, .refreshRetry, .refreshQueued, .tokenExpiring, .networkChanged, .clockSet,
      .signInBegan, .signInCode, .signInSlowed, .signInApproved, .settingsChanged, .locked, .unlocked, .vaultChanged:
      false
    }
  }

  fileprivate var text: String {
    func ended(_ what: String, _ milliseconds: Int, _ code: FailureCode?) -> String {
      "\(what) ended after \(milliseconds) ms: \(code?.rawValue ?? "ok")"
    }
    return switch self {
    case .started: "the daemon started"
    case .stopping: "the daemon stops"
    case .refreshBegan(let attempt): "refresh began, attempt \(attempt)"
    case .refreshEnded(let milliseconds, let code): ended("refresh", milliseconds, code)
    case .refreshRetry(let attempt, let wait): "refresh waits \(wait) ms before attempt \(attempt)"
    case .refreshQueued(let seconds): "refresh waits for the network or the server, at most \(seconds) s"
    case .tokenExpiring(let seconds): "the token has \(seconds) s left"
    case .tokenExpired: "the token has expired"
    case .networkChanged: "the network changed"
    case .watchUnavailable: "no watch of files is left for this user (inotify): files are looked at when they are used"
    case .clockSet(let seconds): "the machine's clock was set by \(seconds) s"
    case .signInBegan: "sign-in began"
    case .signInCode(let seconds): "sign-in waits for approval, at most \(seconds) s"
    case .signInSlowed(let seconds): "sign-in polls every \(seconds) s from now on"
    case .signInApproved: "sign-in was approved"
    case .redirectForeign: "something else than the answer came to the address of a sign-in"
    case .signInEnded(let milliseconds, let code): ended("sign-in", milliseconds, code)
    case .signedOut(let result): "signed out: \(result.rawValue)"
    case .checked(let milliseconds, let result): "checked in \(milliseconds) ms: \(result.rawValue)"
    case .settingsChanged(let change): "settings: \(change.rawValue)"
    case .peerDropped(let problem): "a peer was dropped: \(problem.rawValue)"
    case .requestTimedOut: "a request was not answered in time"
    case .locked(let cause): "the vault was locked: \(cause.rawValue)"
    case .unlocked(let level): "the vault was unlocked: \(level.rawValue)"
    case .vaultChanged(let change): "the vault: \(change.rawValue)"
    case .keySetWarning(.privateKey):
      "the issuer's key set holds a private key, which was left out: whoever reads it can sign in the issuer's name"
    case .keySetWarning(.symmetricKey): "the issuer's key set holds a symmetric key, which was left out"
    case .authenticationTimeChanged:
      "the server's new ID Token names another time of authentication than the first one"
    case .commandFailed(let position, let problem): "command \(position) of the settings failed: \(problem.text)"
    case .commandsDropped(let count): "\(count) commands of the settings were not run: too many wait"
    case .tokenFile(let change): "token file: \(change.rawValue)"
    case .step(let step): step.text
    }
  }
}
