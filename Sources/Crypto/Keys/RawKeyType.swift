/// A key type whose public half is a byte string, and whose algorithm hashes the message.
package enum RawKeyType: Sendable, Hashable, CaseIterable {
  /// RFC 8032 section 5.1.
  case ed25519

  /// libcrypto's name, sizes in bytes, and the members of a JSON Web Key.
  var properties:
    (
      name: String, publicByteCount: Int, signatureByteCount: Int, fixedMembers: [(String, String)],
      publicMember: String, privateMember: String
    )
  {
    switch self {
    // RFC 8037 section 2.
    case .ed25519: ("ED25519", 32, 64, [("crv", "Ed25519"), ("kty", "OKP")], "x", "d")
    }
  }
}
