internal import Encoding

/// A source of a variable's value.
enum TokenField: Sendable, Hashable {
  case accessToken, idToken, tokenType, expiresAt, issuer, subject, account, scope
  /// The token file's path, only for `exec --token-file`.
  case tokenFile
  /// A claim of the verified ID Token.
  case claim(String)

  private static let fieldsBySpelling: [(String, TokenField)] = [
    ("access_token", .accessToken), ("id_token", .idToken), ("token_type", .tokenType), ("expires_at", .expiresAt),
    ("issuer", .issuer), ("subject", .subject), ("account", .account), ("scope", .scope), ("token_file", .tokenFile),
  ]

  private static let claimPrefix = "claim:"

  /// All spellings and one common claim, for suggestions.
  static var spellings: [String] { fieldsBySpelling.map(\.0) + [claimPrefix + "email"] }

  init?(_ text: String) {
    if text.utf8.starts(with: Self.claimPrefix.utf8), text.utf8.count > Self.claimPrefix.utf8.count {
      self = .claim(String(decoding: text.utf8.dropFirst(Self.claimPrefix.utf8.count), as: UTF8.self))
    } else if let word = Self.fieldsBySpelling.first(where: { $0.0.hasSameBytes(as: text) }) {
      self = word.1
    } else {
      return nil
    }
  }

  var spelling: String {
    if case .claim(let name) = self { return Self.claimPrefix + name }
    return Self.fieldsBySpelling.first { $0.1 == self }?.0 ?? ""
  }
}
