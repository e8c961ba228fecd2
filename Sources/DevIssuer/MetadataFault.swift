/// What the metadata can have wrong.
enum MetadataFault: String, Sendable, Hashable, CaseIterable {
  /// An issuer that differs from the one asked for (RFC 8414 section 3.3).
  case issuer
  /// A token endpoint on plain http that is not on the loopback interface.
  case httpEndpoint = "http_endpoint"
}
