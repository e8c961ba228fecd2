internal import Encoding
package import Vocabulary

/// Asks for a file with a token, which the daemon renews until the connection ends.
package struct TokenFileRequest: Sendable, Hashable {
  /// The account; nil means the active one.
  package var account: String?
  /// The name of a file of an earlier daemon, to be written again; nil means a new file.
  package var name: String?
  /// The token that the file holds.
  package var kind: TokenKind

  package init(account: String? = nil, name: String? = nil, kind: TokenKind = .accessToken) {
    self.account = account
    self.name = name
    self.kind = kind
  }
}

extension TokenFileRequest {
  init(_ members: RequestMembers) throws(Failure) {
    account = try members.text("account")
    name = try members.text("name")
    kind = try members.choice("use", TokenKind.self) ?? .accessToken
    if let name, !TokenFileName.isWellFormed(name) {
      throw Failure(.invalidRequest, "\"name\" must be the name of a token file")
    }
  }

  func addMembers(to members: inout MemberWriter) {
    members.add("account", account)
    members.add("name", name)
    members.add("use", kind == .accessToken ? nil : kind.rawValue)
  }
}

/// The names of token files in the runtime directory: `token-` and 32 hexadecimal digits.
package enum TokenFileName {
  package static let prefix = "token-"
  private static let digits = 32

  package static func isWellFormed(_ name: String) -> Bool {
    guard name.utf8.starts(with: prefix.utf8) else { return false }
    let rest = name.utf8.dropFirst(prefix.utf8.count)
    return rest.count == digits && rest.allSatisfy(HexDigit.isLower)
  }
}
