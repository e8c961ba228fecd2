package import Encoding

extension JWK {
  /// - Throws: ``JOSEError``: `embeddedPrivateKey` for private or symmetric keys, `unsupportedKey`, `weakKey`,
  ///   otherwise `invalidKey`.
  package init(_ members: JSONObject) throws(JOSEError) {
    if Self.isSymmetric(members) || Self.hasPrivateMembers(members) { throw JOSEError(.embeddedPrivateKey) }
    let components = try Self.components(members)
    let keyID = try Self.string("kid", members)
    if keyID?.containsNUL == true { throw JOSEError(.invalidKey) }
    var algorithm: JWSAlgorithm?
    if let name = try Self.string("alg", members) {
      algorithm = JWSAlgorithm(name: name)
      if algorithm == nil { throw JOSEError(.unsupportedKey) }
    }
    try self.init(
      components, keyID: keyID, algorithm: algorithm, canVerify: Self.canVerify(members),
      issuer: members["issuer"]?.string)
  }

  static func isSymmetric(_ members: JSONObject) -> Bool {
    member("k", members) != nil || members["kty"]?.string == "oct"
  }

  static func hasPrivateMembers(_ members: JSONObject) -> Bool {
    (["d", "p", "q", "dp", "dq", "qi", "oth"] + RawKeyType.allCases.map(\.properties.privateMember))
      .contains { member($0, members) != nil }
  }

  private static func components(_ members: JSONObject) throws(JOSEError) -> PublicComponents {
    guard let type = try string("kty", members) else { throw JOSEError(.invalidKey) }
    if type == "RSA" { return try rsa(members) }
    if type == "EC" { return try ec(members) }
    return try raw(members)
  }

  /// RFC 7518 section 6.3.1.
  private static func rsa(_ members: JSONObject) throws(JOSEError) -> PublicComponents {
    let modulus = try number("n", members).withoutLeadingZeros
    let exponent = try number("e", members).withoutLeadingZeros
    do {
      try PublicKey.checkRSA(modulus: modulus, exponent: exponent)
    } catch {
      throw JOSEError(.weakKey)
    }
    return .rsa(modulus: modulus, exponent: exponent)
  }

  /// RFC 7518 section 6.2.1.
  private static func ec(_ members: JSONObject) throws(JOSEError) -> PublicComponents {
    guard let name = try string("crv", members) else { throw JOSEError(.invalidKey) }
    guard let curve = Curve.allCases.first(where: { $0.jwkName.hasSameBytes(as: name) })
    else { throw JOSEError(.unsupportedKey) }
    return .ec(
      curve: curve, x: curve.coordinate(try number("x", members)), y: curve.coordinate(try number("y", members)))
  }

  /// Other types, such as octet key pairs (RFC 8037 section 2).
  private static func raw(_ members: JSONObject) throws(JOSEError) -> PublicComponents {
    let type = RawKeyType.allCases.first { type in
      type.properties.fixedMembers.allSatisfy { members[$0]?.string?.hasSameBytes(as: $1) ?? false }
    }
    guard let type else { throw JOSEError(.unsupportedKey) }
    return .raw(type, try number(type.properties.publicMember, members))
  }

  /// Whether `use` and `key_ops` allow verifying. Throws if they contradict each other.
  private static func canVerify(_ members: JSONObject) throws(JOSEError) -> Bool {
    let isForSignatures = try string("use", members).map { $0 == "sig" }
    guard let value = member("key_ops", members) else { return isForSignatures ?? true }
    // Some servers send a string.
    guard let list = value.array ?? (value.string == nil ? nil : [value]) else { throw JOSEError(.invalidKey) }
    let operations = list.compactMap { $0.string.map { Array($0.utf8) } }
    guard operations.count == list.count, Set(operations).count == list.count else { throw JOSEError(.invalidKey) }
    let verifies = operations.contains(Array("verify".utf8))
    if let isForSignatures, isForSignatures != operations.contains(where: Self.isSignatureOperation) {
      throw JOSEError(.invalidKey)
    }
    return verifies
  }

  private static func isSignatureOperation(_ name: [UInt8]) -> Bool {
    name.elementsEqual("verify".utf8) || name.elementsEqual("sign".utf8)
  }

  /// A member, unless null, which some servers send.
  private static func member(_ name: String, _ members: JSONObject) -> JSON? {
    members[name].flatMap { $0 == .null ? nil : $0 }
  }

  private static func string(_ name: String, _ members: JSONObject) throws(JOSEError) -> String? {
    guard let value = member(name, members) else { return nil }
    guard let string = value.string else { throw JOSEError(.invalidKey) }
    return string
  }

  /// Also accepts padding and the alphabet of RFC 4648 section 4, as some servers use.
  private static func number(_ name: String, _ members: JSONObject) throws(JOSEError) -> [UInt8] {
    guard let text = try string(name, members), let bytes = try? Base64URL.decode(urlSafe(text)), !bytes.isEmpty
    else { throw JOSEError(.invalidKey) }
    return bytes
  }

  /// Converts base64 (RFC 4648 section 4) to base64url without padding.
  private static func urlSafe(_ text: String) -> String {
    var characters = Array(text.utf8)
    // Padding completes four characters (RFC 4648 section 3.2).
    if characters.count % 4 == 0 {
      for _ in 0..<2 where characters.last == UInt8(ascii: "=") { characters.removeLast() }
    }
    for index in characters.indices {
      switch characters[index] {
      case UInt8(ascii: "+"): characters[index] = UInt8(ascii: "-")
      case UInt8(ascii: "/"): characters[index] = UInt8(ascii: "_")
      default: break
      }
    }
    return String(decoding: characters, as: UTF8.self)
  }
}

extension [UInt8] {
  /// As in RFC 7518 section 2.
  fileprivate var withoutLeadingZeros: [UInt8] { Array(drop { $0 == 0 }) }
}

extension Curve {
  /// Pads or trims a coordinate to the length in RFC 7518 section 6.2.1.2, since servers omit or add leading zeros. A
  /// larger number makes the key invalid.
  func coordinate(_ bytes: [UInt8]) -> [UInt8] {
    let number = bytes.count > coordinateByteCount ? bytes.withoutLeadingZeros : bytes
    return Array(repeating: 0, count: max(0, coordinateByteCount - number.count)) + number
  }
}
