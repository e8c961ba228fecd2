internal import Encoding

/// The daemon's log events. Other parties' text is only URLs and reasons for a session's end.
package enum LogEvent: Sendable, Hashable {
  case started
  case stopping

  /// Attempts are numbered from 1.
  case refreshBegan(attempt: Int)
  /// The code is nil on success; the reason is the server's.
  case refreshEnded(milliseconds: Int, FailureCode?, reason: String? = nil)
  /// Waits before this attempt.
  case refreshRetry(attempt: Int, waitMilliseconds: Int)
  /// A failed refresh waits for this time or a network change.
  case refreshQueued(seconds: Int)
  case tokenExpiring(seconds: Int)
  case tokenExpired
  /// An address or route was added while a request waited.
  case networkChanged
  /// The user's limit of file watches is reached.
  case watchUnavailable
  /// The clock was set forward; back if negative.
  case clockSet(seconds: Int)

  case signInBegan
  /// A device code was issued, valid for this time.
  case signInCode(seconds: Int)
  /// The server increased the polling interval.
  case signInSlowed(seconds: Int)
  case signInApproved
  /// The redirect URI received an unrelated request.
  case unrelatedRedirect
  /// The code is nil on success.
  case signInEnded(milliseconds: Int, FailureCode?)

  case signedOut(SignOut)
  case checked(milliseconds: Int, CheckResult)
  case settingsChanged(SettingsChange)
  case peerDropped(PeerProblem)
  case requestTimedOut
  /// A refreshed ID Token's `auth_time` differs from the first one's.
  case authenticationTimeChanged
  /// An endpoint has a new origin; nothing is sent there.
  case endpointMoved
  case keySetWarning(KeySetFlaw)

  case locked(LockCause)
  case unlocked(Protection)
  case vaultChanged(VaultChange)

  /// The failed event command's position in the settings, from 1.
  case commandFailed(position: Int, CommandProblem)
  /// Too many event commands were waiting.
  case commandsDropped(count: Int)
  case tokenFile(TokenFileChange)

  case step(LogStep)

  package enum CommandProblem: Sendable, Hashable {
    /// The exit status.
    case exited(Int)
    /// The signal that ended it.
    case signalled(Int)
    case timedOut
    case notStarted(errno: Int)

    fileprivate var description: (members: [(String, JSON?)], text: String) {
      switch self {
      case .exited(let status): ([("reason", "exited"), ("status", .int(status))], "exit status \(status)")
      case .signalled(let signal): ([("reason", "signalled"), ("signal", .int(signal))], "ended by signal \(signal)")
      case .timedOut: ([("reason", "timed_out")], "it timed out")
      case .notStarted(let errno):
        ([("reason", "not_started"), ("errno", .int(errno))], "it could not be started (error \(errno))")
      }
    }
  }

  package enum TokenFileChange: String, Sendable, CaseIterable {
    case written, removed
    case failed
  }

  /// How a sign-out ended: with all tokens revoked, without (or not yet), or in a failure of the sign-out.
  package enum SignOut: String, Sendable, CaseIterable {
    case revoked
    case notRevoked = "not_revoked"
    case failed
  }

  package enum SettingsChange: String, Sendable, CaseIterable {
    case signedIn = "signed_in"
    case added, changed, removed, imported
    case renamed
    /// Logged for the account's new name after renaming.
    case named
    case activated
    /// A directory got another account, or none.
    case directory
    case byOtherProgram = "outside"
  }

  package enum LockCause: String, Sendable, CaseIterable {
    case userRequest = "asked"
    /// No protected account was used for the configured time.
    case idle
    /// The screen of one of the user's sessions was locked.
    case session
  }

  package enum VaultChange: String, Sendable, CaseIterable {
    /// A level's key was created, or the vault bound to this device.
    case created, bound, rebound
    /// An unusable vault was renamed.
    case setAside = "set_aside"
    case passphraseAdded = "passphrase_added"
    case passphraseChanged = "passphrase_changed"
    case slotRemoved = "slot_removed"
    case keysRotated = "keys_rotated"
    case idleTime = "idle_time"
  }

  /// Why a key in an issuer's key set was skipped.
  package enum KeySetFlaw: String, Sendable, CaseIterable {
    /// A private key: anyone can sign as the issuer.
    case privateKey = "private_key"
    case symmetricKey = "symmetric_key"
    /// Malformed, weak or unsupported.
    case unusableKey = "unusable_key"

    fileprivate var text: String {
      switch self {
      case .privateKey:
        "the issuer publishes a private key, which was skipped: anyone can use it to sign as the issuer"
      case .symmetricKey: "the issuer publishes a symmetric key, which was skipped"
      case .unusableKey:
        "the issuer's key set contains keys that were skipped: malformed, too weak, or of an unsupported type"
      }
    }
  }

  /// Why the daemon closed a client's connection.
  package enum PeerProblem: String, Sendable, CaseIterable {
    /// Sent no complete request in time.
    case silent
    /// Did not read its response.
    case notReading = "not_reading"
    case lineTooLong = "line_too_long"
    case otherUser = "other_user"
    /// Refused for lack of capacity, or closed as the longest idle connection.
    case crowded
  }

  package var properties: LogProperties {
    switch self {
    case .started: LogProperties("started", "the daemon started")
    case .stopping: LogProperties("stopping", "the daemon stops")
    case .refreshBegan(let attempt):
      LogProperties("refresh_began", [("attempt", .int(attempt))], "refresh began, attempt \(attempt)")
    case .refreshEnded(let time, let code, let reason): Self.ended("refresh_ended", "refresh", time, code, reason)
    case .refreshRetry(let attempt, let wait):
      LogProperties(
        "refresh_retry", [("attempt", .int(attempt)), ("wait_ms", .int(wait))],
        "refresh waits \(wait) ms before attempt \(attempt)")
    case .refreshQueued(let seconds):
      LogProperties(
        "refresh_queued", [("seconds", .int(seconds))],
        "refresh waits for the network or the server, at most \(seconds) s")
    case .tokenExpiring(let seconds):
      LogProperties("token_expiring", [("seconds", .int(seconds))], "the token has \(seconds) s left")
    case .tokenExpired: LogProperties("token_expired", isFailure: true, "the token has expired")
    case .networkChanged: LogProperties("network_changed", "the network changed")
    case .watchUnavailable:
      LogProperties(
        "watch_unavailable", isFailure: true,
        "this user's inotify watches are exhausted; files are checked on use")
    case .clockSet(let seconds):
      LogProperties("clock_set", [("seconds", .int(seconds))], "the machine's clock was set by \(seconds) s")
    case .signInBegan: LogProperties("sign_in_began", "sign-in began")
    case .signInCode(let seconds):
      LogProperties("sign_in_code", [("seconds", .int(seconds))], "sign-in waits for approval, at most \(seconds) s")
    case .signInSlowed(let seconds):
      LogProperties("sign_in_slowed", [("seconds", .int(seconds))], "sign-in polls every \(seconds) s from now on")
    case .signInApproved: LogProperties("sign_in_approved", "sign-in was approved")
    case .unrelatedRedirect:
      LogProperties(
        "redirect_foreign", isFailure: true, "the redirect URI received a request that is not this sign-in's redirect")
    case .signInEnded(let time, let code): Self.ended("sign_in_ended", "sign-in", time, code)
    case .signedOut(let result):
      LogProperties(
        "signed_out", [("result", .string(result.rawValue))], isFailure: result == .failed,
        "signed out: \(result.rawValue)")
    case .checked(let time, let result):
      LogProperties(
        "checked", [("duration_ms", .int(time)), ("result", .string(result.rawValue))], isFailure: result == .failed,
        "checked in \(time) ms: \(result.rawValue)")
    case .settingsChanged(let change):
      LogProperties("settings_changed", [("change", .string(change.rawValue))], "settings: \(change.rawValue)")
    case .peerDropped(let problem):
      LogProperties(
        "peer_dropped", [("reason", .string(problem.rawValue))], isFailure: true,
        "a peer was dropped: \(problem.rawValue)")
    case .requestTimedOut: LogProperties("request_timed_out", isFailure: true, "a request was not answered in time")
    case .locked(let cause):
      LogProperties("locked", [("cause", .string(cause.rawValue))], "the vault was locked: \(cause.rawValue)")
    case .unlocked(let level):
      LogProperties("unlocked", [("protection", .string(level.rawValue))], "the vault was unlocked: \(level.rawValue)")
    case .vaultChanged(let change):
      LogProperties("vault_changed", [("change", .string(change.rawValue))], "the vault: \(change.rawValue)")
    case .keySetWarning(let flaw):
      LogProperties("key_set_warning", [("reason", .string(flaw.rawValue))], isFailure: true, flaw.text)
    case .authenticationTimeChanged:
      LogProperties(
        "authentication_time_changed", isFailure: true,
        "the new ID Token has a different auth_time than the first one")
    case .endpointMoved:
      LogProperties(
        "endpoint_moved", isFailure: true,
        "the server's metadata contain an endpoint at an origin unknown at sign-in; nothing is sent there")
    case .commandFailed(let position, let problem):
      LogProperties(
        "command_failed", [("position", .int(position))] + problem.description.members, isFailure: true,
        "command \(position) of the settings failed: \(problem.description.text)")
    case .commandsDropped(let count):
      LogProperties(
        "commands_dropped", [("count", .int(count))], isFailure: true,
        "\(count) event commands were not run: too many are waiting")
    case .tokenFile(let change):
      LogProperties(
        "token_file", [("change", .string(change.rawValue))], isFailure: change == .failed,
        "token file: \(change.rawValue)")
    case .step(let step): step.properties
    }
  }

  /// The code is nil on success.
  private static func ended(
    _ event: String, _ operation: String, _ milliseconds: Int, _ code: FailureCode?, _ reason: String? = nil
  ) -> LogProperties {
    let result = code?.rawValue ?? "ok"
    let members: [(String, JSON?)] = [
      ("duration_ms", .int(milliseconds)), ("result", .string(result)), ("reason", reason.map { .string($0) }),
    ]
    return LogProperties(
      event, members, isFailure: code != nil,
      "\(operation) ended after \(milliseconds) ms: \(result)\(reason.map { ": \($0)" } ?? "")")
  }
}

/// The result of checking a session at the server.
package enum CheckResult: String, Sendable, CaseIterable {
  case valid = "ok"
  case signedOutElsewhere = "signed_out_elsewhere"
  case notSignedIn = "not_signed_in"
  /// The server cannot check sessions, or not for this client.
  case notPossible = "not_possible"
  case failed
}

package struct LogProperties: Sendable {
  let code: String
  /// Omitted if nil.
  let members: [(String, JSON?)]
  /// The event as a sentence.
  package let text: String
  /// Whether to log a warning.
  package let isFailure: Bool

  init(_ code: String, _ members: [(String, JSON?)] = [], isFailure: Bool = false, _ text: String) {
    self.code = code
    self.members = members
    self.text = text
    self.isFailure = isFailure
  }

  init(_ code: String, _ text: String) { self.init(code, [], text) }
}
