extension Event {
  /// A token file was written or removed.
  package struct TokenFile: EventBody, Sendable, Hashable {
    package var account: String
    package var path: String
    /// Why the file was removed; nil if it was written.
    package var removal: FailureCode?
    /// In unix seconds; nil if unknown or removed.
    package var expiresAt: Int?

    package init(account: String, path: String, removal: FailureCode? = nil, expiresAt: Int? = nil) {
      self.account = account
      self.path = path
      self.removal = removal
      self.expiresAt = expiresAt
    }

    package var event: Event { .tokenFile(self) }
    package var manualEntry: EventManualEntry {
      EventManualEntry(
        "token_file",
        "A token file was written, or removed because the account is signed out or locked. A removed file is written"
          + " again as soon as there is a token.")
    }

    package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
      var (state, code) = (removal == nil ? "written" : "removed", removal)
      try members.visitText("account", &account, "The account's current name.")
      try members.visitText("path", &path, "The absolute path of the file, which does not change.")
      try members.visitText("state", &state, "`written` or `removed`.")
      try members.visitValue("code", &code, "Why it was removed: `signed_out`, `locked` or another error code.")
      try members.visitNumber(
        "expires_at", &expiresAt, "When its token expires.")
      removal = state == "removed" ? code ?? .internalError : nil
    }
  }
}
