internal import Encoding
package import Vocabulary

/// The events of the daemon's log. An event has only numbers and words of this program, no text, so no text of another
/// party can get into the log.
package enum LogEvent: Sendable, Hashable {
  case started
  case stopping

  /// Attempt 1 is the first.
  case refreshBegan(attempt: Int)
  /// The code is nil after a success.
  case refreshEnded(milliseconds: Int, FailureCode?)
  case refreshRetry(attempt: Int, waitMilliseconds: Int)
  /// A refresh failed and is repeated after this time, or when the network changes.
  case refreshQueued(seconds: Int)
  /// The cached token has this many seconds left and was not renewed.
  case tokenExpiring(seconds: Int)
  case tokenExpired
  /// An address or a route was added while a request waited for the network.
  case networkChanged
  /// The system has no watch of files left for this user, so that files are looked at when they are used.
  case watchUnavailable
  /// The machine's clock was set forward by this many seconds, or back if negative.
  case clockSet(seconds: Int)

  case signInBegan
  /// The user can approve for this long.
  case signInCode(seconds: Int)
  /// The server requires this interval between two polls.
  case signInSlowed(seconds: Int)
  case signInApproved
  /// The redirect URI of a sign-in got a request that is not its response.
  case redirectForeign
  case signInEnded(milliseconds: Int, FailureCode?)

  case signedOut(SignOut)
  case checked(milliseconds: Int, CheckResult)
  case settingsChanged(SettingsChange)
  case peerDropped(PeerProblem)
  case requestTimedOut
  /// A refreshed ID Token names another time of authentication than the first one.
  case authenticationTimeChanged
  /// A key that must not be published was left out of an issuer's key set.
  case keySetWarning(KeySetFlaw)

  case locked(LockCause)
  case unlocked(Protection)
  case vaultChanged(VaultChange)

  /// An event command of the settings failed; 1 is the first.
  case commandFailed(position: Int, CommandProblem)
  /// This many event commands were not run because too many are waiting.
  case commandsDropped(count: Int)
  case tokenFile(TokenFileChange)

  /// A step of a request with `verbose`.
  case step(LogStep)

  /// The problem of an event command.
  package enum CommandProblem: Sendable, Hashable {
    case exited(Int)
    case signalled(Int)
    /// It ran for too long.
    case timedOut
    /// The program was not started; the error number.
    case notStarted(errno: Int)
  }

  /// A change of a token file.
  package enum TokenFileChange: String, Sendable, CaseIterable {
    case written, removed
    case failed
  }

  /// The result of a revocation.
  package enum SignOut: String, Sendable, CaseIterable {
    case revoked
    case notRevoked = "not_revoked"
    case failed
  }

  /// The kind of a change of the settings.
  package enum SettingsChange: String, Sendable, CaseIterable {
    case signedIn = "signed_in"
    case added, changed, removed, imported
    /// The account got another name.
    case renamed
    /// The account got this name.
    case named
    case activated
    /// Another program changed the file.
    case outside
  }

  /// The cause of a lock.
  package enum LockCause: String, Sendable, CaseIterable {
    case asked
    /// No protected account was used for the time in the settings.
    case idle
    /// The desktop or the machine asked for it.
    case session
  }

  /// A change of the vault's slots, keys or idle time.
  package enum VaultChange: String, Sendable, CaseIterable {
    case created, bound, rebound
    case passphraseAdded = "passphrase_added"
    case passphraseChanged = "passphrase_changed"
    case slotRemoved = "slot_removed"
    case keysRotated = "keys_rotated"
    /// The time without use until it locks.
    case idleTime = "idle_time"
  }

  /// A secret key in a published key set.
  package enum KeySetFlaw: String, Sendable, CaseIterable {
    /// Every reader can sign tokens in the issuer's name.
    case privateKey = "private_key"
    case symmetricKey = "symmetric_key"
  }

  /// The reason for closing a connection.
  package enum PeerProblem: String, Sendable, CaseIterable {
    /// It sent no complete request in time.
    case silent
    /// It did not read its answer.
    case notReading = "not_reading"
    case lineTooLong = "line_too_long"
    case otherUser = "other_user"
    /// There were too many connections, and this one had been idle for the longest time.
    case crowded
  }
}

/// The result of a check of a session at the authorization server.
package enum CheckResult: String, Sendable, CaseIterable {
  case holds = "ok"
  /// The server no longer honours the session.
  case signedOutElsewhere = "signed_out_elsewhere"
  /// There is no session to check.
  case notSignedIn = "not_signed_in"
  /// The server has no endpoint for the check, or not for this client.
  case notPossible = "not_possible"
  /// The request failed.
  case failed
}

extension LogEvent {
  private var name: String {
    switch self {
    case .started: "started"
    case .stopping: "stopping"
    case .refreshBegan: "refresh_began"
    case .refreshEnded: "refresh_ended"
    case .refreshRetry: "refresh_retry"
    case .refreshQueued: "refresh_queued"
    case .tokenExpiring: "token_expiring"
    case .tokenExpired: "token_expired"
    case .networkChanged: "network_changed"
    case .watchUnavailable: "watch_unavailable"
    case .clockSet: "clock_set"
    case .signInBegan: "sign_in_began"
    case .signInCode: "sign_in_code"
    case .signInSlowed: "sign_in_slowed"
    case .signInApproved: "sign_in_approved"
    case .redirectForeign: "redirect_foreign"
    case .signInEnded: "sign_in_ended"
    case .signedOut: "signed_out"
    case .checked: "checked"
    case .settingsChanged: "settings_changed"
    case .peerDropped: "peer_dropped"
    case .requestTimedOut: "request_timed_out"
    case .locked: "locked"
    case .unlocked: "unlocked"
    case .vaultChanged: "vault_changed"
    case .keySetWarning: "key_set_warning"
    case .authenticationTimeChanged: "authentication_time_changed"
    case .commandFailed: "command_failed"
    case .commandsDropped: "commands_dropped"
    case .tokenFile: "token_file"
    case .step(let step): step.name
    }
  }

  /// The `result` of a success.
  private static let success = "ok"

  /// Writes `event` and the members that go with it.
  func addMembers(to object: inout JSONObject) {
    object["event"] = .string(name)
    switch self {
    case .started, .stopping, .signInBegan, .signInApproved, .redirectForeign, .requestTimedOut, .tokenExpired,
      .networkChanged, .watchUnavailable, .authenticationTimeChanged:
      break
    case .refreshBegan(let attempt): object["attempt"] = .int(attempt)
    case .refreshRetry(let attempt, let wait):
      object["attempt"] = .int(attempt)
      object["wait_ms"] = .int(wait)
    case .refreshEnded(let milliseconds, let code), .signInEnded(let milliseconds, let code):
      object["duration_ms"] = .int(milliseconds)
      object["result"] = .string(code?.rawValue ?? Self.success)
    case .signInCode(let seconds), .signInSlowed(let seconds), .refreshQueued(let seconds),
      .tokenExpiring(let seconds), .clockSet(let seconds):
      object["seconds"] = .int(seconds)
    case .signedOut(let result): object["result"] = .string(result.rawValue)
    case .checked(let milliseconds, let result):
      object["duration_ms"] = .int(milliseconds)
      object["result"] = .string(result.rawValue)
    case .settingsChanged(let change): object["change"] = .string(change.rawValue)
    case .peerDropped(let problem): object["reason"] = .string(problem.rawValue)
    case .locked(let cause): object["cause"] = .string(cause.rawValue)
    case .unlocked(let level): object["protection"] = .string(level.rawValue)
    case .vaultChanged(let change): object["change"] = .string(change.rawValue)
    case .keySetWarning(let flaw): object["reason"] = .string(flaw.rawValue)
    case .commandFailed(let position, let problem):
      object["position"] = .int(position)
      problem.addMembers(to: &object)
    case .commandsDropped(let count): object["count"] = .int(count)
    case .tokenFile(let change): object["change"] = .string(change.rawValue)
    case .step(let step): step.addMembers(to: &object)
    }
  }

  /// Reads what ``addMembers(to:)`` wrote; nil for an event that this build does not know.
  init?(_ json: JSON) {
    func number(_ member: String) -> Int? { json[member]?.int }
    func word<Word: RawRepresentable<String>>(_ member: String) -> Word? {
      json[member]?.string.flatMap { Word(rawValue: $0) }
    }
    /// Nil when there is no result; the inner one is nil for a success.
    func result() -> FailureCode?? {
      guard let text = json["result"]?.string else { return nil }
      if text.utf8.elementsEqual(Self.success.utf8) { return .some(nil) }
      return FailureCode(rawValue: text).map { .some($0) }
    }
    let event: LogEvent? =
      switch json["event"]?.string {
      case "started": .started
      case "stopping": .stopping
      case "refresh_began": number("attempt").map { .refreshBegan(attempt: $0) }
      case "refresh_ended":
        number("duration_ms").flatMap { time in result().map { .refreshEnded(milliseconds: time, $0) } }
      case "refresh_retry":
        number("attempt").flatMap { attempt in
          number("wait_ms").map { .refreshRetry(attempt: attempt, waitMilliseconds: $0) }
        }
      case "refresh_queued": number("seconds").map { .refreshQueued(seconds: $0) }
      case "token_expiring": number("seconds").map { .tokenExpiring(seconds: $0) }
      case "token_expired": .tokenExpired
      case "network_changed": .networkChanged
      case "watch_unavailable": .watchUnavailable
      case "clock_set": number("seconds").map { .clockSet(seconds: $0) }
      case "sign_in_began": .signInBegan
      case "sign_in_code": number("seconds").map { .signInCode(seconds: $0) }
      case "sign_in_slowed": number("seconds").map { .signInSlowed(seconds: $0) }
      case "sign_in_approved": .signInApproved
      case "redirect_foreign": .redirectForeign
      case "sign_in_ended":
        number("duration_ms").flatMap { time in result().map { .signInEnded(milliseconds: time, $0) } }
      case "signed_out": word("result").map { .signedOut($0) }
      case "checked": number("duration_ms").flatMap { time in word("result").map { .checked(milliseconds: time, $0) } }
      case "settings_changed": word("change").map { .settingsChanged($0) }
      case "peer_dropped": word("reason").map { .peerDropped($0) }
      case "request_timed_out": .requestTimedOut
      case "locked": word("cause").map { .locked($0) }
      case "unlocked": word("protection").map { .unlocked($0) }
      case "vault_changed": word("change").map { .vaultChanged($0) }
      case "authentication_time_changed": .authenticationTimeChanged
      case "key_set_warning": word("reason").map { .keySetWarning($0) }
      case "command_failed":
        number("position").flatMap { position in
          CommandProblem(json).map { .commandFailed(position: position, $0) }
        }
      case "commands_dropped": number("count").map { .commandsDropped(count: $0) }
      case "token_file": word("change").map { .tokenFile($0) }
      default: LogStep(json).map { .step($0) }
      }
    guard let event else { return nil }
    self = event
  }
}
