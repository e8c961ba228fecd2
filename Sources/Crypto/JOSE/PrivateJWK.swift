internal import Encoding

/// Parses a private JSON Web Key (RFC 7518 sections 6.2.2 and 6.3.2, RFC 8037 section 2) on the secure heap.
struct PrivateJWK {
  private let root: JSONLayout.Node

  static func read(_ text: Span<UInt8>) throws(JOSEError) -> ImportedPrivateKey {
    guard let layout = try? JSONLayout(parsing: text) else { throw JOSEError(.invalidKey) }
    return try PrivateJWK(root: layout.root).read(text)
  }

  private func read(_ text: Span<UInt8>) throws(JOSEError) -> ImportedPrivateKey {
    guard let type = try string("kty", text) else { throw JOSEError(.invalidKey) }
    guard try signs(text) else { throw JOSEError(.unsuitableKey) }
    let keyID = try string("kid", text)
    if keyID?.utf8.contains(0) == true { throw JOSEError(.invalidKey) }
    var algorithm: JWSAlgorithm?
    if let name = try string("alg", text) {
      algorithm = JWSAlgorithm(name: name)
      if algorithm == nil { throw JOSEError(.unsupportedKey) }
    }
    if Self.isSame(type, "EC") { return try .jwk(try ec(text), keyID: keyID, algorithm: algorithm) }
    if Self.isSame(type, "OKP") { return try .jwk(try octetKeyPair(text), keyID: keyID, algorithm: algorithm) }
    if Self.isSame(type, "RSA") { return try .jwk(try rsa(text), keyID: keyID, algorithm: algorithm) }
    throw JOSEError(.unsupportedKey)
  }

  private func ec(_ text: Span<UInt8>) throws(JOSEError) -> PrivateKey {
    let name = try string("crv", text) ?? ""
    guard let curve = Curve.allCases.first(where: { Self.isSame(name, $0.jwkName) }) else {
      throw JOSEError(.unsupportedKey)
    }
    let (x, y) = (curve.coordinate(try number("x", text)), curve.coordinate(try number("y", text)))
    let secret = try secret("d", text, atLeast: curve.coordinateByteCount)
    do { return try PrivateKey(curve: curve, x: x, y: y, secret: secret) } catch { throw JOSEError(error) }
  }

  private func octetKeyPair(_ text: Span<UInt8>) throws(JOSEError) -> PrivateKey {
    guard Self.isSame(try string("crv", text), "Ed25519") else { throw JOSEError(.unsupportedKey) }
    let x = try number("x", text)
    let seed = try secret("d", text)
    let key: PrivateKey
    do { key = try PrivateKey(ed25519Seed: seed) } catch { throw JOSEError(error) }
    guard key.publicComponents == .raw(.ed25519, x) else { throw JOSEError(.invalidKey) }
    return key
  }

  private func rsa(_ text: Span<UInt8>) throws(JOSEError) -> PrivateKey {
    // More than two primes (RFC 7518 section 6.3.2.7) are unsupported.
    guard root["oth"] == nil else { throw JOSEError(.unsupportedKey) }
    let (modulus, exponent) = (try number("n", text), try number("e", text))
    guard modulus.first != 0, exponent.first != 0 else { throw JOSEError(.invalidKey) }
    do { try PublicKey.checkRSA(modulus: modulus, exponent: exponent) } catch { throw JOSEError(.weakKey) }
    let secrets = PrivateKey.RSASecrets(
      exponent: try secret("d", text), firstPrime: try secret("p", text), secondPrime: try secret("q", text),
      firstExponent: try secret("dp", text), secondExponent: try secret("dq", text), coefficient: try secret("qi", text)
    )
    do { return try PrivateKey(rsaModulus: modulus, exponent: exponent, secrets) } catch { throw JOSEError(error) }
  }

  /// Whether `use` and `key_ops` allow signing (RFC 7517 sections 4.2, 4.3).
  private func signs(_ text: Span<UInt8>) throws(JOSEError) -> Bool {
    if let use = try string("use", text), !Self.isSame(use, "sig") { return false }
    guard let operations = root["key_ops"] else { return true }
    return operations.elements.contains { Self.isSame($0.string(in: text), "sign") }
  }

  private static func isSame(_ found: String?, _ wanted: String) -> Bool {
    found.map { $0.hasSameBytes(as: wanted) } ?? false
  }

  private func string(_ name: String, _ text: Span<UInt8>) throws(JOSEError) -> String? {
    guard let node = root[name] else { return nil }
    guard let string = node.string(in: text) else { throw JOSEError(.invalidKey) }
    return string
  }

  private func number(_ name: String, _ text: Span<UInt8>) throws(JOSEError) -> [UInt8] {
    guard let string = try string(name, text), let bytes = try? Base64URL.decode(string), !bytes.isEmpty else {
      throw JOSEError(.invalidKey)
    }
    return bytes
  }

  /// Pads to `length` bytes with leading zeros, as ``Curve/coordinate(_:)``.
  private func secret(
    _ name: String, _ text: Span<UInt8>, atLeast length: Int = 0
  ) throws(JOSEError) -> SecretBytes {
    guard let node = root[name], let count = node.stringByteCount, count > 0 else { throw JOSEError(.invalidKey) }
    var characters = SecretBuffer(capacity: count)
    var bytes = SecretBuffer(capacity: max(count, length))
    for _ in 0..<max(0, length - count * 3 / 4) { bytes.append(0) }
    node.appendString(in: text, to: &characters)
    do {
      try characters.withBytes { (characters) throws(Base64URLError) in try Base64URL.decode(characters, to: &bytes) }
    } catch {
      throw JOSEError(.invalidKey)
    }
    do { return try bytes.finish() } catch { throw JOSEError(error) }
  }
}
