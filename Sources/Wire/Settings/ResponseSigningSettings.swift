/// How the client is registered to get what the issuer says about the user, as requests carry it; what is absent is
/// not named.
package struct ResponseSigningSettings: Sendable, Hashable {
  /// The `alg` of ID Tokens: the only one that is accepted then.
  package var idTokenAlgorithm: String?
  /// The `alg` of UserInfo, which must be signed then.
  package var userInfoAlgorithm: String?

  package init() {}

  /// What an ID Token can be protected with; the names with HS need the client secret.
  package static let idTokenAlgorithms = LogStep.Algorithm.allCases.map(\.rawValue)
  /// What UserInfo can be signed with.
  package static let userInfoAlgorithms = ClientAuthenticationSettings.algorithms
}

extension ResponseSigningSettings {
  init(_ members: RequestMembers) throws(Failure) {
    idTokenAlgorithm = try Self.algorithm(
      try members.text("id_token_algorithm"), "id_token_algorithm", Self.idTokenAlgorithms)
    userInfoAlgorithm = try Self.algorithm(
      try members.text("userinfo_algorithm"), "userinfo_algorithm", Self.userInfoAlgorithms)
  }

  private static func algorithm(_ name: String?, _ member: String, _ known: [String]) throws(Failure) -> String? {
    guard let name else { return nil }
    guard let match = known.first(where: { $0.utf8.elementsEqual(name.utf8) }) else {
      throw Failure(
        .invalidRequest, "\"\(member)\" is not one that is known", hint: "known are " + known.joined(separator: ", "))
    }
    return match
  }

  func addMembers(to members: inout MemberWriter) {
    members.add("id_token_algorithm", idTokenAlgorithm)
    members.add("userinfo_algorithm", userInfoAlgorithm)
  }
}
