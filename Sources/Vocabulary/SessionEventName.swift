/// Events of sessions and accounts. Raw values appear in protocol and settings.
package enum SessionEventName: String, Sendable, CaseIterable {
  case signedIn = "signed_in"
  case signedOut = "signed_out"
  case refreshed
  case refreshFailed = "refresh_failed"
  /// The cached token expires soon, or has expired, and was not renewed.
  case expiring, expired
  /// The session ends soon, and a refresh cannot prevent it.
  case sessionExpiring = "session_expiring"
  case offline, online, locked, unlocked
  case accountAdded = "account_added"
  case accountRemoved = "account_removed"
  case accountRenamed = "account_renamed"
  /// Another account is active, or none.
  case activeChanged = "active_changed"
}

/// A session's states. Raw values appear in the protocol.
package enum SessionState: String, Sendable, CaseIterable {
  case signedOut = "signed_out"
  case signingIn = "signing_in"
  /// `stale`: the next request gets a new access token. `offline`: the latest refresh failed temporarily.
  case active, stale, refreshing, expired, locked, offline
  /// The session's only token was not stored.
  case notKept = "not_kept"
  /// The vault is unreadable.
  case unreadable
}
