/// What the JWK Set can have wrong (RFC 7517).
enum KeySetFault: String, Sendable, Hashable, CaseIterable {
  case empty
  /// More keys than anybody signs with.
  case many
  /// A shared secret beside the public key (section 9.2).
  case mixed
  /// The key with its private member (section 9.2).
  case privateKey = "private"
  /// Nothing but an RSA key of 1024 bits under the name of the key (RFC 7518 section 3.3).
  case weak
  /// A second key that fits, which is right.
  case several
  /// The name of the key for two keys.
  case duplicate
}
