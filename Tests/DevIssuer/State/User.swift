import Encoding

/// The users that there are: everybody, by any name.
enum User {
  /// The one that approves where nobody is asked.
  static let demo = "alice"
  /// How users can sign in, the weaker first. Both are a matter of saying so.
  static let contexts = ["basic", "strong"]
  /// Claims that the issuer sets by itself and that no option may set.
  static let protocolClaims = ["iss", "sub", "aud", "exp", "iat", "auth_time", "at_hash", "nonce", "acr"]

  static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "._-@".utf8.contains($0) }
  }

  /// The identifier in tokens, which is not the name that a user types.
  static func subject(_ name: String) -> String { "user-\(name)" }

  /// The standard claims (OpenID Connect Core 1.0 section 5.1).
  static func claims(_ name: String) -> JSONObject {
    [
      "name": .string(name.prefix(1).uppercased() + name.dropFirst() + " Example"), "preferred_username": .string(name),
      "email": .string(name.contains("@") ? name : name + "@example.com"), "email_verified": true,
    ]
  }
}
