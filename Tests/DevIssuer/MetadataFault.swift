/// What the metadata can have wrong.
enum MetadataFault: String, Sendable, Hashable, CaseIterable {
  /// An issuer that differs from the one asked for (RFC 8414 section 3.3).
  case issuer
  /// A token endpoint on plain http that is not on the loopback interface.
  case httpEndpoint = "http_endpoint"
  /// No code challenge method is announced (RFC 8414 section 2), though S256 works.
  case noS256 = "no_s256"
  /// Only `plain` is announced.
  case plain
  /// Answers of the authorization endpoint are not announced to name the issuer (RFC 9207 section 3).
  case noISSParameter = "no_iss_parameter"
}
