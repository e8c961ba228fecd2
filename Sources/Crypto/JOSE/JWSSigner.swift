package import Encoding

/// Creates signed tokens (RFC 7515 section 5.1).
package enum JWSSigner {
  /// Returns the compact serialization. Adds `alg` to `header`. For a JWT, `payload` is the JSON of its claims. Throws
  /// as `PrivateKey.sign(_:message:)`.
  package static func sign(
    header: JSONObject, payload: [UInt8], key: borrowing PrivateKey, algorithm: JWSAlgorithm
  ) throws(CryptoError) -> String {
    var header = header
    header["alg"] = .string(algorithm.rawValue)
    var token: [UInt8] = []
    Base64URL.append(JSON.object(header).serialized().span, to: &token)
    token.append(UInt8(ascii: "."))
    Base64URL.append(payload.span, to: &token)
    let signature = try key.sign(algorithm.signatureAlgorithm, message: token.span)
    token.append(UInt8(ascii: "."))
    Base64URL.append(signature.span, to: &token)
    return String(decoding: token, as: UTF8.self)
  }
}

extension PrivateKey {
  /// Tests by signing whether private and public key match.
  package borrowing func isConsistent() throws(CryptoError) -> Bool {
    let algorithms = JWSAlgorithm.allCases.map(\.signatureAlgorithm)
    guard let algorithm = algorithms.first(where: { [kind] in $0.fits(kind) }) else { return false }
    let message: [UInt8] = Array("agent".utf8)
    let signature = try sign(algorithm, message: message.span)
    return try publicKey().verify(algorithm, signature: signature.span, message: message.span)
  }
}
