/// The registered signature algorithms of ID Tokens and UserInfo, in a request; an absent one is not changed.
package struct ResponseSigningSettings: Sendable, Hashable {
  /// The `alg` of ID Tokens; no other one is accepted.
  package var idTokenAlgorithm: String?
  /// The `alg` of UserInfo, which must be signed with it.
  package var userInfoAlgorithm: String?

  package init() {}

  /// The algorithms of ID Tokens; those with HS need the client secret.
  package static let idTokenAlgorithms = LogStep.Algorithm.allCases.map(\.rawValue)
  /// The algorithms of UserInfo.
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
