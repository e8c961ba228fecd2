package import Encoding
package import Vocabulary

/// An event of a session or of the accounts, for their users: people, programs, the event commands of the settings.
/// ``LogEvent`` has the internal events of the daemon.
///
/// It has only numbers, words of this program, valid account names and the host of a server.
package enum SessionEvent: Sendable, Hashable {
  /// Expiry in unix seconds; nil if the server named no lifetime.
  case signedIn(expiresAt: Int?)
  case signedOut(SignOutCause)
  /// There is a new token. Expiry in unix seconds; nil if the server named no lifetime.
  case refreshed(expiresAt: Int?)
  /// A refresh failed, and a repetition would not help.
  case refreshFailed(Failing)
  /// The cached token expires at this time, in unix seconds, and was not renewed.
  case expiring(at: Int, isRenewable: Bool)
  /// The token has expired.
  case expired(at: Int, isRenewable: Bool)
  /// The session ends at this time, in unix seconds, unless a person signs in again.
  case sessionExpiring(at: Int)
  /// The server cannot be reached, or not answer. The cached token is still used.
  case offline(Failing)
  case online
  /// The account's tokens and key were wiped from memory, until an unlock.
  case locked
  case unlocked
  case accountAdded
  case accountRemoved
  /// The account's former name.
  case accountRenamed(from: String)
  /// The account is the active one now; without an account there is none any more.
  case activeChanged

  /// Why a token could not be renewed.
  package struct Failing: Sendable, Hashable {
    package let code: FailureCode
    /// Host and port that could not be reached, or the proxy's; nil for an error about something else.
    package let host: String?
    /// Why, where more is known.
    package let cause: ConnectionProblem?

    package init(_ code: FailureCode, at host: String? = nil, _ cause: ConnectionProblem? = nil) {
      self.code = code
      self.host = host
      self.cause = cause
    }
  }

  /// The cause of a session's end.
  package enum SignOutCause: String, Sendable, CaseIterable {
    /// A sign-out of this user.
    case user
    /// The account was removed.
    case removed
    /// The authorization server rejected the refresh token.
    case expired
    /// The authorization server reports that the session is no longer valid.
    case revoked
    /// Another process signed the account out.
    case elsewhere
    /// The settings have another server or client than the sign-in.
    case settings
    /// The server identified another user than at sign-in.
    case identity
  }

  /// The `event` member.
  package var name: SessionEventName {
    switch self {
    case .signedIn: .signedIn
    case .signedOut: .signedOut
    case .refreshed: .refreshed
    case .refreshFailed: .refreshFailed
    case .expiring: .expiring
    case .expired: .expired
    case .sessionExpiring: .sessionExpiring
    case .offline: .offline
    case .online: .online
    case .locked: .locked
    case .unlocked: .unlocked
    case .accountAdded: .accountAdded
    case .accountRemoved: .accountRemoved
    case .accountRenamed: .accountRenamed
    case .activeChanged: .activeChanged
    }
  }
}

extension SessionEvent {
  /// Writes the members that go with ``name``.
  func addMembers(to object: inout JSONObject) {
    switch self {
    case .online, .locked, .unlocked, .accountAdded, .accountRemoved, .activeChanged: break
    case .signedIn(let expiry), .refreshed(let expiry): object["expires_at"] = expiry.map { .int($0) }
    case .sessionExpiring(let end): object["expires_at"] = .int(end)
    case .signedOut(let cause): object["cause"] = .string(cause.rawValue)
    case .refreshFailed(let failing), .offline(let failing):
      object["code"] = .string(failing.code.rawValue)
      object["host"] = failing.host.map { .string($0) }
      object["cause"] = failing.cause.map { .string($0.rawValue) }
    case .expiring(let expiry, let isRenewable), .expired(let expiry, let isRenewable):
      object["expires_at"] = .int(expiry)
      object["renewable"] = .bool(isRenewable)
    case .accountRenamed(let old): object["renamed_from"] = .string(old)
    }
  }

  /// Reads ``name`` and its members; nil for an event that this build does not know.
  init?(_ json: JSON) {
    let expiry = json["expires_at"]?.int
    let failing = json["code"]?.string.flatMap { FailureCode(rawValue: $0) }.map { code in
      Failing(code, at: json["host"]?.string, json["cause"]?.string.flatMap { ConnectionProblem(rawValue: $0) })
    }
    func ending() -> (Int, Bool)? { expiry.flatMap { expiry in json["renewable"]?.bool.map { (expiry, $0) } } }
    let event: SessionEvent? =
      switch json["event"]?.string.flatMap(SessionEventName.init) {
      case .signedIn: .signedIn(expiresAt: expiry)
      case .signedOut: json["cause"]?.string.flatMap { SignOutCause(rawValue: $0) }.map { .signedOut($0) }
      case .refreshed: .refreshed(expiresAt: expiry)
      case .refreshFailed: failing.map { .refreshFailed($0) }
      case .expiring: ending().map { .expiring(at: $0, isRenewable: $1) }
      case .expired: ending().map { .expired(at: $0, isRenewable: $1) }
      case .sessionExpiring: expiry.map { .sessionExpiring(at: $0) }
      case .offline: failing.map { .offline($0) }
      case .online: .online
      case .locked: .locked
      case .unlocked: .unlocked
      case .accountAdded: .accountAdded
      case .accountRemoved: .accountRemoved
      case .accountRenamed: json["renamed_from"]?.string.map { .accountRenamed(from: $0) }
      case .activeChanged: .activeChanged
      case nil: nil
      }
    guard let event else { return nil }
    self = event
  }
}

/// A ``SessionEvent`` with its time and account.
package struct SessionEntry: Sendable, Hashable {
  /// Unix seconds.
  package let time: Int
  /// A valid account name; nil if the event is about no account.
  package let account: String?
  package let event: SessionEvent

  package init(time: Int, account: String?, event: SessionEvent) {
    self.time = time
    self.account = account
    self.event = event
  }

  /// `{"time","event","account",…}`.
  package var json: JSONObject {
    var object = JSONObject([("time", .int(time)), ("event", .string(event.name.rawValue))])
    object["account"] = account.map { .string($0) }
    event.addMembers(to: &object)
    return object
  }

  /// Reads what ``json`` writes; nil for an event that this build does not know.
  package init?(json: JSON) {
    guard let time = json["time"]?.int, let event = SessionEvent(json) else { return nil }
    self.init(time: time, account: json["account"]?.string, event: event)
  }

  /// Whether the entry is sent to a request for this account. Events about no account are, and those about its former
  /// name.
  package func concerns(_ name: String) -> Bool {
    if case .accountRenamed(let old) = event, old.utf8.elementsEqual(name.utf8) { return true }
    return account.map { $0.utf8.elementsEqual(name.utf8) } ?? true
  }

  /// The entry as text, without a line feed.
  ///
  /// - Parameter stamp: Writes unix seconds as the reader wants them.
  package func text(_ stamp: (Int) -> String) -> String {
    let place = account.map { "\(TerminalText.clean($0, limit: 64)): " } ?? ""
    return "\(stamp(time)) \(place)\(event.text(hasAccount: account != nil, stamp))"
  }
}

extension SessionEvent {
  fileprivate func text(hasAccount: Bool, _ stamp: (Int) -> String) -> String {
    func until(_ expiry: Int?) -> String { expiry.map { ", good until \(stamp($0))" } ?? "" }
    return switch self {
    case .signedIn(let expiry): "signed in" + until(expiry)
    case .signedOut(let cause): "signed out: \(cause.text)"
    case .refreshed(let expiry): "new token" + until(expiry)
    case .refreshFailed(let failing): "refresh failed: \(failing.text)"
    case .expiring(let expiry, let isRenewable):
      "the token expires at \(stamp(expiry))" + (isRenewable ? "" : ", and with it the session")
    case .expired(_, true): "the token expired; the next command gets a new one"
    case .expired(_, false): "the token expired, and with it the session"
    case .sessionExpiring(let end): "the session ends at \(stamp(end)), unless you sign in again"
    case .offline(let failing): "offline: \(failing.text)"
    case .online: "online again"
    case .locked: "locked"
    case .unlocked: "unlocked"
    case .accountAdded: "the account was added"
    case .accountRemoved: "the account was removed"
    case .accountRenamed(let old): "the account was renamed from \(TerminalText.clean(old, limit: 64))"
    case .activeChanged: hasAccount ? "is the active account now" : "no account is the active one now"
    }
  }
}

extension SessionEvent.Failing {
  /// The host and the cause, or the code where no more is known.
  fileprivate var text: String {
    let place = host.map { "\(TerminalText.clean($0, limit: 300)): " } ?? ""
    return place + (cause?.title ?? code.rawValue)
  }
}

extension SessionEvent.SignOutCause {
  fileprivate var text: String {
    switch self {
    case .user: "by the user"
    case .removed: "the account is removed"
    case .expired: "the authorization server ended the session"
    case .revoked: "the authorization server revoked the session"
    case .elsewhere: "another process did it"
    case .settings: "the settings no longer fit the sign-in"
    case .identity: "the server identified another user"
    }
  }
}
