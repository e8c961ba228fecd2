internal import Encoding

/// Requests a token file that is renewed until the connection closes.
package struct TokenFileRequest: RequestBody {
  /// Nil for the active account.
  package var account: String?
  /// An earlier daemon's file to rewrite; nil for a new one.
  package var name: String?
  package var kind: TokenKind

  package init(account: String? = nil, name: String? = nil, kind: TokenKind = .accessToken) {
    self.account = account
    self.name = name
    self.kind = kind
  }

  package var properties: RequestProperties {
    RequestProperties("token_file", .endless, from: .authorizationServer, about: .accountOrActive(account))
  }

  package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
    var kind: TokenKind? = kind == .accessToken ? nil : kind
    try members.visitText("account", &account, "The account (default: the active one).")
    try members.visitText(
      "name", &name, "The name of a file of an earlier daemon, to be written again (default: a new file).")
    try members.visitChoice("use", &kind, "The token in the file (default: the access token).")
    self.kind = kind ?? .accessToken
    try members.check(name.map(TokenFileName.isWellFormed) ?? true, Phrase("\"name\" must be the name of a token file"))
  }

  package var manualEntry: RequestManualEntry {
    RequestManualEntry(
      "Keeps an account's token in a file in the runtime directory. Each change of the file sends an event `token_file`. The"
        + " file is deleted when the connection closes.",
      note: "There is no result: the request ends with the connection, or with an error. At most 32 files are kept.")
  }
}

/// Names of token files: `token-` and 32 hexadecimal digits.
package enum TokenFileName {
  package static let prefix = "token-"
  private static let digitCount = 32

  package static func isWellFormed(_ name: String) -> Bool {
    guard name.utf8.starts(with: prefix.utf8) else { return false }
    let rest = name.utf8.dropFirst(prefix.utf8.count)
    return rest.count == digitCount && rest.allSatisfy(HexDigit.isLower)
  }
}
