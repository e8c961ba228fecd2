/// A value of `token_files`: a file that contains a token while the account is signed in.
package struct TokenFileSetting: Sendable, Hashable {
  package let kind: TokenKind
  /// An absolute path without a trailing slash.
  package let directory: String
  package let name: String

  private static let idTokenPrefix = "id_token:"

  /// `path` is absolute, without `.` and `..`.
  package init?(_ kind: TokenKind, at path: String) {
    let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: true).map {
      String(Substring($0))
    }
    guard path.utf8.first == UInt8(ascii: "/"), path.utf8.last != UInt8(ascii: "/"), parts.count > 1,
      parts.allSatisfy({ $0 != "." && $0 != ".." }), !path.utf8.contains(0)
    else { return nil }
    self.kind = kind
    directory = "/" + parts.dropLast().joined(separator: "/")
    name = parts[parts.count - 1]
  }

  /// A path, with the prefix `id_token:` for the ID Token.
  package init?(_ value: String) {
    let isIDToken = value.utf8.starts(with: Self.idTokenPrefix.utf8)
    self.init(
      isIDToken ? .idToken : .accessToken, at: isIDToken ? String(value.dropFirst(Self.idTokenPrefix.count)) : value)
  }

  package var path: String { "\(directory)/\(name)" }
  package var value: String { (kind == .idToken ? Self.idTokenPrefix : "") + path }
}
