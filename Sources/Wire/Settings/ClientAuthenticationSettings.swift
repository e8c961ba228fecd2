/// The details of the client authentication in a request, besides the method; an absent one is not changed.
package struct ClientAuthenticationSettings: Sendable, Hashable {
  /// HTTP Basic without the form encoding of RFC 6749, section 2.3.1.
  package var basicUnencoded = false
  /// Whether the client certificate is used (RFC 8705). A certificate in the request sets it implicitly.
  package var certificate = false
  /// The `alg` of assertions (RFC 7523).
  package var keyAlgorithm: String?
  /// Their `kid`.
  package var keyID: String?
  /// Their `aud`.
  package var assertionAudience: Audience?

  /// The audience of an assertion.
  package enum Audience: String, Sendable, CaseIterable {
    case issuer
    case tokenEndpoint = "token_endpoint"
    case endpoint
  }

  package init() {}

  /// The names of the asymmetric algorithms.
  package static let algorithms = LogStep.Algorithm.allCases.filter { !$0.isSymmetric }.map(\.rawValue)
}

extension ClientAuthenticationSettings {
  init(_ members: RequestMembers) throws(Failure) {
    basicUnencoded = try members.flag("basic_unencoded")
    certificate = try members.flag("client_certificate")
    if let name = try members.text("client_key_algorithm") {
      guard let known = Self.algorithms.first(where: { $0.utf8.elementsEqual(name.utf8) }) else {
        throw Failure(
          .invalidRequest, "\"client_key_algorithm\" is not one that is known",
          hint: "known are " + Self.algorithms.joined(separator: ", "))
      }
      keyAlgorithm = known
    }
    keyID = try members.text("client_key_id")
    if let name = try members.text("assertion_audience") {
      guard let audience = Audience(rawValue: name) else {
        throw Failure(.invalidRequest, "\"assertion_audience\" must be issuer, token_endpoint or endpoint")
      }
      assertionAudience = audience
    }
  }

  func addMembers(to members: inout MemberWriter) {
    members.add("basic_unencoded", basicUnencoded)
    members.add("client_certificate", certificate)
    members.add("client_key_algorithm", keyAlgorithm)
    members.add("client_key_id", keyID)
    members.add("assertion_audience", assertionAudience?.rawValue)
  }
}
