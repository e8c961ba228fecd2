package import Encoding

/// An event of a session or account. Its only text from servers is a host and the reason for rejecting a refresh token,
/// without control characters.
package struct SessionEvent: Sendable, Hashable, MemberList {
  package let name: SessionEventName
  /// When the token expires or the session ends, in unix seconds.
  package private(set) var expiresAt: Int?
  /// True or nil, never false.
  private var guest: Bool?
  /// True or nil, never false.
  private var upgradedFromGuest: Bool?
  /// Whether the token can be renewed without a sign-in; nil unless about expiry.
  package private(set) var isRenewable: Bool?
  package private(set) var cause: SignOutCause?
  /// Why the server rejected the refresh token.
  package private(set) var reason: String?
  package private(set) var failure: RefreshFailure?
  package private(set) var formerName: String?

  package init(
    _ name: SessionEventName, expiresAt: Int? = nil, isGuest: Bool = false, wasGuest: Bool = false,
    isRenewable: Bool? = nil, cause: SignOutCause? = nil, reason: String? = nil,
    failure: RefreshFailure? = nil, formerName: String? = nil
  ) {
    self.name = name
    self.expiresAt = expiresAt
    guest = isGuest ? true : nil
    upgradedFromGuest = wasGuest ? true : nil
    self.isRenewable = isRenewable
    self.cause = cause
    self.reason = reason
    self.failure = failure
    self.formerName = formerName
  }

  /// Whether the new session has no user.
  package var isGuest: Bool { guest == true }

  /// Whether the previous session had no user.
  package var wasGuest: Bool { upgradedFromGuest == true }

  /// Why a refresh or connection failed.
  package struct RefreshFailure: Sendable, Hashable {
    package fileprivate(set) var code: FailureCode
    /// The unreachable server's or proxy's host and port.
    package fileprivate(set) var host: String?
    package fileprivate(set) var cause: ConnectionProblem?

    package init(_ code: FailureCode, at host: String? = nil, _ cause: ConnectionProblem? = nil) {
      self.code = code
      self.host = host
      self.cause = cause
    }

    fileprivate var text: String {
      let prefix = host.map { "\(TerminalText.clean($0, limit: 300)): " } ?? ""
      return prefix + (cause?.title ?? code.rawValue)
    }
  }

  package enum SignOutCause: String, Sendable, CaseIterable {
    case user
    /// The account was removed.
    case removed
    /// The server rejected the refresh token.
    case expired
    /// The server reports that the session is invalid.
    case revoked
    /// Another process signed out.
    case elsewhere
    /// The settings name another server or client.
    case settings
    /// The server identified another user.
    case identity
    /// The session's only token was not stored.
    case notKept = "not_kept"

    fileprivate var text: String {
      switch self {
      case .user: "by the user"
      case .removed: "the account is removed"
      case .expired: "the authorization server ended the session"
      case .revoked: "the authorization server revoked the session"
      case .elsewhere: "another process did it"
      case .settings: "the settings no longer match the sign-in"
      case .identity: "the server identified another user"
      case .notKept: "its only token was not stored"
      }
    }
  }

  fileprivate enum Member {
    case expiry, end, guest, renewable, cause, reason, failure, formerName
  }

  package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
    for member in properties(hasAccount: true, { _ in "" }).members {
      switch member {
      case .expiry:
        try members.visitNumber(
          "expires_at", &expiresAt, "When the token expires.")
      case .end: try members.visitNumber("expires_at", &expiresAt, isRequired: true, "The end.")
      case .guest:
        try members.visitValue("guest", &guest, "The session has no user.")
        try members.visitValue("upgraded_from_guest", &upgradedFromGuest, "The session before it had no user.")
      case .renewable:
        try members.visitValue(
          "renewable", &isRenewable, isRequired: true, "Whether the next command gets a token without a sign-in.")
      case .cause: try members.visitChoice("cause", &cause, isRequired: true, "Why the session ended.")
      case .reason:
        try members.visitText(
          "reason", &reason, "The reason that the server gave for refusing the refresh token, if any.")
      case .failure: try visitFailure(with: &members)
      case .formerName:
        try members.visitText("renamed_from", &formerName, limit: 64, isRequired: true, "The former name.")
      }
    }
  }

  private mutating func visitFailure<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
    var failure = failure ?? RefreshFailure(.network)
    try members.visitValue("code", &failure.code, "The error.")
    try members.visitText("host", &failure.host, "The host of a failed connection, with its port.")
    try members.visitValue("cause", &failure.cause, "Why the connection failed, as in `agent daemon log`.")
    self.failure = failure
  }

  /// Whether other tokens may be available after this event.
  package var changesTokens: Bool { properties(hasAccount: true, { _ in "" }).changesTokens }

  /// For the manual.
  package var meaning: String { properties(hasAccount: true, { _ in "" }).meaning }

  /// `meaning` is for the manual, `text` for users. `hasAccount`: whether the entry names an account. `stamp` formats
  /// unix seconds.
  fileprivate func properties(
    hasAccount: Bool, _ stamp: (Int) -> String
  ) -> (changesTokens: Bool, members: [Member], meaning: String, text: String) {
    let end = expiresAt.map(stamp) ?? ""
    let until = expiresAt == nil ? "" : ", good until \(end)"
    return switch name {
    case .signedIn:
      (
        true, [.expiry, .guest], "There is a new session.",
        "signed in" + (isGuest ? " as a guest" : wasGuest ? ", no longer as a guest" : "") + until
      )
    case .signedOut:
      (
        true, [.cause, .reason],
        "The session ended. The cause is `user` for a sign-out; `removed` if the account was removed; `expired` if the"
          + " authorization server refused the refresh token; `revoked` if it reported that the session is revoked, as for"
          + " `agent status --check`; `elsewhere` if another process ended it; `settings` if they no longer match the"
          + " sign-in; `identity` if the server identified another user; or `not_kept` if its only token was in memory.",
        "signed out: \(cause?.text ?? "")" + (reason.map { ": \(TerminalText.clean($0, limit: 300))" } ?? "")
      )
    case .refreshed: (false, [.expiry], "There is a new token.", "new token" + until)
    case .refreshFailed:
      (
        false, [.failure], "A refresh failed with a permanent error; reported once.",
        "refresh failed: \(failure?.text ?? "")"
      )
    case .expiring:
      (
        false, [.end, .renewable],
        "The token will expire soon and was not refreshed. Sent one minute before, or a tenth of the lifetime if that is"
          + " less; for a token that is not renewable, five minutes or half the lifetime.",
        "the token expires at \(end)" + (isRenewable == true ? "" : ", and with it the session")
      )
    case .expired:
      (
        false, [.end, .renewable], "The token expired and was not refreshed.",
        "the token expired" + (isRenewable == true ? "; the next command gets a new one" : ", and with it the session")
      )
    case .sessionExpiring:
      (
        false, [.end],
        "The session will end then, according to the server, and a refresh cannot prevent it. Sent three days before.",
        "the session ends at \(end), unless you sign in again"
      )
    case .offline:
      (false, [.failure], "The server is unreachable; the token is still used.", "offline: \(failure?.text ?? "")")
    case .online: (false, [], "The server is reachable again.", "online again")
    case .locked: (true, [], "The account was locked.", "locked")
    case .unlocked: (true, [], "The account was unlocked.", "unlocked")
    case .accountAdded: (false, [], "The account was added.", "the account was added")
    case .accountRemoved: (true, [], "The account was removed.", "the account was removed")
    case .accountRenamed:
      (
        true, [.formerName], "The account was renamed.",
        "the account was renamed from \(TerminalText.clean(formerName ?? "", limit: 64))"
      )
    case .activeChanged:
      (
        true, [], "The account is now the active one; without `account`, none is.",
        hasAccount ? "is now the active account" : "no account is active now"
      )
    }
  }

  // MARK: Events

  package static func signedIn(expiresAt: Int?, isGuest: Bool = false, wasGuest: Bool = false) -> Self {
    Self(.signedIn, expiresAt: expiresAt, isGuest: isGuest, wasGuest: wasGuest)
  }
  package static func signedOut(_ cause: SignOutCause, reason: String? = nil) -> Self {
    Self(.signedOut, cause: cause, reason: reason)
  }
  package static func refreshed(expiresAt: Int?) -> Self { Self(.refreshed, expiresAt: expiresAt) }
  package static func refreshFailed(_ failure: RefreshFailure) -> Self { Self(.refreshFailed, failure: failure) }
  package static func expiring(at end: Int, isRenewable: Bool) -> Self {
    Self(.expiring, expiresAt: end, isRenewable: isRenewable)
  }
  package static func expired(at end: Int, isRenewable: Bool) -> Self {
    Self(.expired, expiresAt: end, isRenewable: isRenewable)
  }
  package static func sessionExpiring(at end: Int) -> Self { Self(.sessionExpiring, expiresAt: end) }
  package static func offline(_ failure: RefreshFailure) -> Self { Self(.offline, failure: failure) }
  package static func accountRenamed(from name: String) -> Self { Self(.accountRenamed, formerName: name) }
  package static let online = Self(.online)
  package static let locked = Self(.locked)
  package static let unlocked = Self(.unlocked)
  package static let accountAdded = Self(.accountAdded)
  package static let accountRemoved = Self(.accountRemoved)
  package static let activeChanged = Self(.activeChanged)
}

/// A ``SessionEvent`` with its time and account.
package struct SessionEntry: Sendable, Hashable, EventEntry, MemberList {
  /// In unix seconds.
  package private(set) var time: Int
  /// Nil if the event concerns no account.
  package private(set) var account: String?
  package private(set) var event: SessionEvent

  package init(time: Int, account: String?, event: SessionEvent) {
    self.time = time
    self.account = account
    self.event = event
  }

  /// Whether the entry is about this account, by current or former name, or about none.
  package func concerns(_ name: String) -> Bool {
    if let old = event.formerName, old.hasSameBytes(as: name) { return true }
    return account.map { $0.hasSameBytes(as: name) } ?? true
  }

  /// One line without newline; `stamp` formats unix seconds.
  package func text(_ stamp: (Int) -> String) -> String {
    let prefix = account.map { "\(TerminalText.clean($0, limit: 64)): " } ?? ""
    return "\(stamp(time)) \(prefix)\(event.properties(hasAccount: account != nil, stamp).text)"
  }

  /// `{"time":…,"event":…,"account":…}` and more.
  package var json: JSONObject { memberObject }

  package init?(json: JSON) {
    guard let name = json["event"]?.string.flatMap(SessionEventName.init),
      let entry = Self(time: 0, account: nil, event: SessionEvent(name)).withValues(from: json)
    else { return nil }
    self = entry
  }

  package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
    var name = event.name
    try members.visitNumber("time", &time, "When it happened.")
    try members.visitChoice("event", &name, "What happened.")
    try members.visitText("account", &account, "The account, if the event is about one.")
    try event.visitMembers(with: &members)
  }
}
