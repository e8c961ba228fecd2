package import Encoding

/// A valid public JSON Web Key (RFC 7517).
package struct JWK: Sendable {
  package let components: PublicComponents
  /// The `kid`, compared byte by byte (RFC 7517 section 4.5).
  package let keyID: String?
  /// The `alg`, if any: the only permitted algorithm (RFC 7517 section 4.4).
  package let algorithm: JWSAlgorithm?
  /// The non-standard `issuer`, for sets shared by several issuers.
  package let issuer: String?
  /// Whether `use` and `key_ops` allow verifying (RFC 7517 sections 4.2 and 4.3).
  package let canVerify: Bool

  private let key: SharedPublicKey
  private let digest: String

  /// A public key of this client.
  package init(
    _ components: PublicComponents, keyID: String? = nil, algorithm: JWSAlgorithm? = nil
  ) throws(JOSEError) {
    try self.init(components, keyID: keyID, algorithm: algorithm, canVerify: true)
  }

  init(
    _ components: PublicComponents, keyID: String?, algorithm: JWSAlgorithm?, canVerify: Bool, issuer: String? = nil
  ) throws(JOSEError) {
    do throws(CryptoError) {
      key = SharedPublicKey(try PublicKey(components))
      digest = Base64URL.encode(try Digest.sha256.hash(components.jwkMembers.bytes.span))
    } catch {
      throw JOSEError(error)
    }
    self.components = components
    self.keyID = keyID
    self.algorithm = algorithm
    self.canVerify = canVerify
    self.issuer = issuer
  }

  /// The SHA-256 thumbprint in base64url (RFC 7638 section 3).
  package func thumbprint() -> String { digest }

  /// The public key alone, as for the `jwk` header (RFC 9449 section 4.2).
  package var requiredMembers: JSONObject { components.jwkMembers }

  /// The members for a published key set.
  package var published: JSONObject {
    var members = requiredMembers
    members["use"] = "sig"
    members["kid"] = keyID.map { .string($0) }
    if let algorithm { members["alg"] = .string(algorithm.rawValue) }
    return members
  }

  /// Whether type, curve, `alg` and `use` permit verifying this algorithm.
  package func fits(_ algorithm: JWSAlgorithm) -> Bool {
    guard canVerify, self.algorithm == nil || self.algorithm == algorithm else { return false }
    return algorithm.signatureAlgorithm.fits(key.key.kind)
  }

  func verify(
    _ algorithm: JWSAlgorithm, signature: Span<UInt8>, message: Span<UInt8>
  ) throws(JOSEError) -> Bool {
    do {
      return try key.key.verify(algorithm.signatureAlgorithm, signature: signature, message: message)
    } catch {
      throw JOSEError(error)
    }
  }
}

extension JSONObject {
  fileprivate var bytes: [UInt8] { JSON.object(self).serialized() }
}

extension PublicComponents {
  /// In RFC 7638 section 3.3 order (RFC 7518 section 6, RFC 8037 section 2).
  var jwkMembers: JSONObject {
    switch self {
    case .rsa(let modulus, let exponent):
      ["e": .string(Base64URL.encode(exponent)), "kty": "RSA", "n": .string(Base64URL.encode(modulus))]
    case .ec(let curve, let x, let y):
      [
        "crv": .string(curve.jwkName), "kty": "EC", "x": .string(Base64URL.encode(x)),
        "y": .string(Base64URL.encode(y)),
      ]
    case .raw(let type, let bytes):
      JSONObject(
        type.properties.fixedMembers.map { ($0, .string($1)) }
          + [(type.properties.publicMember, .string(Base64URL.encode(bytes)))])
    }
  }
}

extension Curve {
  /// The `crv` value (RFC 7518 section 6.2.1.1).
  var jwkName: String {
    switch self {
    case .p256: "P-256"
    case .p384: "P-384"
    case .p521: "P-521"
    }
  }
}
