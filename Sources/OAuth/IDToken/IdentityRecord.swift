package import Encoding

/// The user in an account's first ID Token, to detect tokens of another (OpenID Connect Core sections 5.7 and 12.2).
package struct IdentityRecord: Sendable, Hashable {
  package var issuer: String
  package var subject: String
  package var audience: [String]
  package var authorizedParty: String?
  /// `auth_time`, in unix seconds.
  package var authTime: Int?
  package var nonce: String?
}

extension IdentityRecord {
  package init?(json: JSON) {
    guard let issuer = json["iss"]?.string, let subject = json["sub"]?.string, let values = json["aud"]?.array else {
      return nil
    }
    let audience = values.compactMap(\.string)
    guard audience.count == values.count, !audience.isEmpty else { return nil }
    self.init(
      issuer: issuer, subject: subject, audience: audience, authorizedParty: json["azp"]?.string,
      authTime: json["auth_time"]?.int, nonce: json["nonce"]?.string)
  }

  package var json: JSON {
    var object = JSONObject([
      ("iss", .string(issuer)), ("sub", .string(subject)), ("aud", .array(audience.map { .string($0) })),
    ])
    object["azp"] = authorizedParty.map { .string($0) }
    object["auth_time"] = authTime.map { .int($0) }
    object["nonce"] = nonce.map { .string($0) }
    return .object(object)
  }
}
