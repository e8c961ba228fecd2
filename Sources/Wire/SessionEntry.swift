package import Encoding

/// A ``SessionEvent`` with its time and its account.
package struct SessionEntry: Sendable, Hashable {
  /// Unix seconds.
  package let time: Int
  /// An account's name, checked by whoever makes the entry; nil when none is meant.
  package let account: String?
  package let event: SessionEvent

  package init(time: Int, account: String?, event: SessionEvent) {
    self.time = time
    self.account = account
    self.event = event
  }

  /// `{"time","event","account",…}`.
  package var json: JSONObject {
    var object = JSONObject([("time", .int(time)), ("event", .string(event.name))])
    object["account"] = account.map { .string($0) }
    event.addMembers(to: &object)
    return object
  }

  /// Reads what ``json`` writes; nil for an event that this build does not know.
  package init?(json: JSON) {
    guard let time = json["time"]?.int, let event = SessionEvent(json) else { return nil }
    self.init(time: time, account: json["account"]?.string, event: event)
  }

  /// Whether somebody who asked for one account is told: also of what is about none, and of what it was called.
  package func concerns(_ name: String) -> Bool {
    if case .accountRenamed(let old) = event, old.utf8.elementsEqual(name.utf8) { return true }
    return account.map { $0.utf8.elementsEqual(name.utf8) } ?? true
  }

  /// The entry as a person reads it, without a line feed.
  package var text: String {
    let place = account.map { "\(TerminalText.clean($0, limit: 64)): " } ?? ""
    return "\(Timestamp.rfc3339(time)) \(place)\(event.text(hasAccount: account != nil))"
  }
}

extension SessionEvent {
  fileprivate func text(hasAccount: Bool) -> String {
    func until(_ expiry: Int?) -> String { expiry.map { ", good until \(Timestamp.rfc3339($0))" } ?? "" }
    return switch self {
    case .signedIn(let expiry): "signed in" + until(expiry)
    case .signedOut(let cause): "signed out: \(cause.text)"
    case .refreshed(let expiry): "there is a new token" + until(expiry)
    case .refreshFailed(let code): "no new token could be got: \(code.rawValue)"
    case .expiring(let expiry, let isRenewable):
      "the token ends at \(Timestamp.rfc3339(expiry))" + (isRenewable ? "" : ", and with it the session")
    case .expired(_, true): "the token ended; the next command gets a new one"
    case .expired(_, false): "the token ended, and with it the session"
    case .offline(let code): "offline: \(code.rawValue)"
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

extension SessionEvent.SignOutCause {
  fileprivate var text: String {
    switch self {
    case .user: "somebody asked for it here"
    case .removed: "the account is removed"
    case .expired: "the authorization server ended the session"
    case .revoked: "the authorization server no longer honours the session"
    case .elsewhere: "another process did it"
    case .settings: "the settings no longer fit the sign-in"
    case .identity: "the server answers for another person"
    }
  }
}
