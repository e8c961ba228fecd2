internal import Encoding

/// What the daemon's log can tell. No text fits into an event, so none that came from outside can
/// get into the log: only numbers and words of this program's own.
package enum LogEvent: Sendable, Hashable {
  case started
  case stopping

  /// Attempt 1 is the first.
  case refreshBegan(attempt: Int)
  /// The code is nil after a success.
  case refreshEnded(milliseconds: Int, FailureCode?)
  case refreshRetry(attempt: Int, waitMilliseconds: Int)
  /// It failed and is tried again in so many seconds, or when the network changes.
  case refreshQueued(seconds: Int)
  /// The token at hand has so many seconds left, and nobody has renewed it.
  case tokenExpiring(seconds: Int)
  case tokenExpired
  /// Addresses or routes came while something waited for the network.
  case networkChanged
  /// The machine's clock was set forward by so many seconds, or back.
  case clockSet(seconds: Int)

  case signInBegan
  /// The person can approve for this long.
  case signInCode(seconds: Int)
  /// The server asks for so much time between two polls.
  case signInSlowed(seconds: Int)
  case signInApproved
  /// Something came to the address of a sign-in that is not its answer.
  case redirectForeign
  case signInEnded(milliseconds: Int, FailureCode?)

  case signedOut(SignOut)
  case checked(milliseconds: Int, CheckResult)
  case settingsChanged(SettingsChange)
  case peerDropped(PeerProblem)
  case requestTimedOut
  /// What must not be published was left out of an issuer's key set.
  case keySetWarning(KeySetFlaw)

  case locked(LockCause)
  case unlocked(ProtectionLevel)
  case vaultChanged(VaultChange)

  /// A command of the settings, 1 for the first, did not do well.
  case commandFailed(position: Int, CommandProblem)
  /// So many commands were not run because too many wait.
  case commandsDropped(count: Int)
  case tokenFile(TokenFileChange)

  /// A step that somebody asked to be told.
  case step(LogStep)

  /// What became of a command that was run for an event.
  package enum CommandProblem: Sendable, Hashable {
    case exited(Int)
    case signalled(Int)
    /// It ran for too long.
    case timedOut
    /// By the number of the system's error.
    case notStarted(errno: Int)
  }

  /// What became of a token in a file.
  package enum TokenFileChange: String, Sendable, CaseIterable {
    case written, removed
    case failed
  }

  /// What the server said of a sign-out.
  package enum SignOut: String, Sendable, CaseIterable {
    case revoked
    case notRevoked = "not_revoked"
    case failed
  }

  /// Who changed the settings, and how.
  package enum SettingsChange: String, Sendable, CaseIterable {
    case signedIn = "signed_in"
    case added, changed, removed, imported
    /// The account got another name.
    case renamed
    /// The account got this name.
    case named
    case activated
    /// Somebody else wrote the file.
    case outside
  }

  /// Why the vault was locked.
  package enum LockCause: String, Sendable, CaseIterable {
    case asked
    /// No protected account was used for as long as the settings say.
    case idle
    /// The desktop or the machine asked for it.
    case session
  }

  /// What was changed in how the vault opens.
  package enum VaultChange: String, Sendable, CaseIterable {
    case created, bound, rebound
    case passphraseAdded = "passphrase_added"
    case passphraseChanged = "passphrase_changed"
    case slotRemoved = "slot_removed"
    case keysRotated = "keys_rotated"
    /// When it locks by itself.
    case idleTime = "idle_time"
  }

  /// What is in a key set that everybody can read.
  package enum KeySetFlaw: String, Sendable, CaseIterable {
    /// Whoever reads it can sign tokens in the issuer's name.
    case privateKey = "private_key"
    case symmetricKey = "symmetric_key"
  }

  /// Why a peer was let go.
  package enum PeerProblem: String, Sendable, CaseIterable {
    /// It asked nothing, or did not finish what it asked, in time.
    case silent
    /// It did not read its answer.
    case notReading = "not_reading"
    case lineTooLong = "line_too_long"
    case otherUser = "other_user"
    /// There were too many, and it had been idle for longest.
    case crowded
  }
}

/// Whether a session still holds, as far as the authorization server tells.
package enum CheckResult: String, Sendable, CaseIterable {
  case holds = "ok"
  /// The server no longer honours the session.
  case signedOutElsewhere = "signed_out_elsewhere"
  /// There is no session to ask about.
  case notSignedIn = "not_signed_in"
  /// The server offers nothing that would tell, or not to this client.
  case notPossible = "not_possible"
  /// The question got no answer.
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
    case .commandFailed: "command_failed"
    case .commandsDropped: "commands_dropped"
    case .tokenFile: "token_file"
    case .step(let step): step.name
    }
  }

  /// What a success has in the place of a failure's code.
  private static let success = "ok"

  /// Writes `event` and the members that go with it.
  func addMembers(to object: inout JSONObject) {
    object["event"] = .string(name)
    switch self {
    case .started, .stopping, .signInBegan, .signInApproved, .redirectForeign, .requestTimedOut, .tokenExpired,
      .networkChanged:
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
