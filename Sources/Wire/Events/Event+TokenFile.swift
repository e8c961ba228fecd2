extension Event {
  package struct TokenFile: Sendable, Hashable {
    package var account: String
    package var path: String
    /// The reason for its removal; nil if it was written.
    package var removal: FailureCode?
    /// When its token expires, in unix seconds; nil if the server sent no lifetime, or if the file was removed.
    package var expiresAt: Int?

    package init(account: String, path: String, removal: FailureCode? = nil, expiresAt: Int? = nil) {
      self.account = account
      self.path = path
      self.removal = removal
      self.expiresAt = expiresAt
    }
  }
}

extension Event.TokenFile: EventBody {
  package var event: Event { .tokenFile(self) }
  package var row: EventRow {
    EventRow(
      "token_file",
      "A token file was written, or is gone because nobody is signed in or the account is locked; then it comes back by"
        + " itself.")
  }

  package mutating func pass<Pass: MemberPass>(_ members: inout Pass) throws(Pass.Problem) {
    var (state, code) = (removal == nil ? "written" : "removed", removal)
    try members.text("account", &account, "The account, by the name that it has now.")
    try members.text("path", &path, "The file, by its absolute path, which does not change.")
    try members.text("state", &state, "`written` or `removed`.")
    try members.value("code", &code, "Why it is gone: `signed_out`, `locked` or another error code.")
    try members.number(
      "expires_at", &expiresAt, "When the token in it expires; absent when the server named no lifetime.")
    removal = state.utf8.elementsEqual("removed".utf8) ? code ?? .internalError : nil
  }
}
