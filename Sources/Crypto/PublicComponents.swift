/// The numbers that make up a public key, as JSON Web Keys hold them (RFC 7518 section 6, RFC 8037 section 2).
package enum PublicComponents: Sendable, Hashable {
  /// Big-endian numbers without leading zero bytes.
  case rsa(modulus: [UInt8], exponent: [UInt8])
  /// Big-endian coordinates, each exactly as long as the curve's field.
  case ec(curve: Curve, x: [UInt8], y: [UInt8])
  /// The 32-byte encoding of RFC 8032 section 5.1.2.
  case ed25519(x: [UInt8])
}
