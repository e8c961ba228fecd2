/// What UserInfo can have wrong (OpenID Connect Core 1.0 section 5.3.2).
enum UserInfoFault: String, Sendable, Hashable, CaseIterable {
  /// It is about another user.
  case sub
  case noSUB = "no_sub"
}
