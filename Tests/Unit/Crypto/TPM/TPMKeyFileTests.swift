import Crypto
import Encoding
import Testing

/// Keys created by `openssl genpkey -provider tpm2` in a software TPM that no longer exists.
enum TPMKeyVectors {
  /// On P-256, the default.
  static let p256 =
    "MIHwBgZngQUKAQOgAwEBAQIEQAAAAQRYAFYAIwALAAYAcgAAABAAEAADABAAIMQKD+utlldRAbtb/27dByMHep+CJFoWmhdse3Y7"
    + "oNOFACCGmA3YK3dJifcStheZyaUHStOiE6Gi/HH9TPyANfIK0wSBgAB+ACATJ7UcQuRzlSHlZiJRr0Z4WO3A8GESrtpRA2k+tyqz"
    + "ygAQo9EjqKFpHi4GIEhQIilrhnj7S/toGSZUzkRrUYUhko5qqg6GAs+iV4Cn41TPngey+6KuifzlWwI+J1MvshhBCkfjUfko2oPB"
    + "obJTMNqlZ162wAuDDSyoI+jb"
  /// Its public half, as printed by the same tool.
  static let publicPoint = "xAoP662WV1EBu1v/bt0HIwd6n4IkWhaaF2x7djug04WGmA3YK3dJifcStheZyaUHStOiE6Gi/HH9TPyANfIK0w=="
  /// With its own authorization.
  static let withAuthorization =
    "MIHwBgZngQUKAQOgAwEBAAIEQAAAAQRYAFYAIwALAAYAcgAAABAAEAADABAAILZecGL3ECPoc8ZEKXkM7qjpV20omAp7J3X+GkHy"
    + "l1YlACCpxlA5242K6F1chciWXsY7PvQFqAtHN4t7/7LUUQKiwwSBgAB+ACBXPaR3is1grfsmJUUW0+R5i3csy+USjF2ZVBHiI0Ti"
    + "rwAQ29wveW/hh3yCa8PK8cWIrvjaJrabd6jFDyPaSwXrOwugH+qCyebzOLSi5j8M7iL2UX+z5P3kaMAvaGEfVLxMes5ZrlVSOjky"
    + "9bQZos4w1GLiqbA2zc/ZAqxC"
  static let p384 =
    "MIIBIAYGZ4EFCgEDoAMBAQECBEAAAAEEeAB2ACMACwAGAHIAAAAQABAABAAQADAi5JC7uB4c3Mj/iw/8+Xm9F9g5Vk/zwKsqTmq+"
    + "eH8+UnVyCQ5ICYmPq0r8N7bKfNsAMKhRd+CvKBmq26XnN5bDvtsrNJEo+K4MQbDXYztaztpR651F2BW5MlBQBggydRKr9gSBkACO"
    + "ACCHER3I7r7GnuS8jbGTzgltJkKbv5yKimY/Zj2c1e3QqwAQ0dL/onYHlYMO45Lm6hmXrgQbMSS5/7zAwuXd3KZcE8gxp7VfTseq"
    + "oVJZn8EQJR7a4cVP+HjdKDhyZWb+FhJV/S8PTnlKLl/977FK2efaDFcEepQVWm/5HMGbcaYFoinUXuxhc5hFw4ee3Q=="
  static let rsa =
    "MIICEgYGZ4EFCgEDoAMBAQECBEAAAAEEggEYARYAAQALAAYAcgAAABAAEAgAAAAAAAEA0bh3qeHKh7sY4ks0octtqFKfQfeOQbYR"
    + "k6Rw4i0TNmQ9cp+GZVx/xrbwHsUcvCXWV5FpuRgypPWV8EUl2UdRJfExfOUo1gVV72eH2slOcfGmB3MRlaMhvLFDFJ6fB33N/n0v"
    + "cJ/cGF4B5yYdNyCa/j4WKFYFuGvzBwmwbHJ6b1UHYTakmxlwRdZwAaC7Q4XoLzat0FtCYE/XlQxqs1/x6Vcv4dLuD1SPftsOOwLa"
    + "FxCGyg4Aynztbxz1I+YfiEPBYz2mppKb36MUdTked43G1mN+lJo9HI0mQ5vfs6vfkpWbDGsQxwy8ByIloKVM2//6W/WJQuBgzL67"
    + "DF40tpkDyQSB4ADeACBIL9wNBRffVYKAtN9yQn7F7B/wkgJSoR3rqaiOCbX0lwAQ3kGDyl/lVCsCd0MG9Tv5JVAcFw+ZBCaRSOx/"
    + "Z4xQPoYUqOvi76kwFXEsWh0yOqeTOtPb1/9Whf/QnVY0FljYRUoBs1+X7yXlu/I7XxRK5HGpUx+GRxxLnoCy7neJambQNfSx0YEc"
    + "6gnOWuNO5yxP193pSzXYKJNOujZ9iGnfSACAE6Z6g6s9wTBUS+61977LrWH7XgAThuEnJRmWJ4pzaUEAIShF0J9oqKJKYp4NopLz"
    + "lSKKgm3WTqeC"

  static func bytes(_ text: String) throws -> [UInt8] { try Base64.decode(text) }
}

@Suite struct `A key that another program made in the TPM` {
  private func key(_ bytes: [UInt8]) throws(CryptoError) -> TPM.Key { try TPM.Key(file: bytes.span) }

  private func code(_ bytes: [UInt8]) -> CryptoError.Code? {
    do throws(CryptoError) {
      _ = try key(bytes)
      return nil
    } catch {
      return error.code
    }
  }

  @Test func `is read with its public half, and kept as it is`() throws {
    let bytes = try TPMKeyVectors.bytes(TPMKeyVectors.p256)
    let key = try key(bytes)
    #expect(key.serialized == bytes)
    guard case .ec(.p256, let x, let y) = key.publicComponents else { throw CryptoError(.invalidKey, "test") }
    #expect(Base64.encode(x + y) == TPMKeyVectors.publicPoint)
  }

  @Test func `is refused when it has an authorization of its own, which nobody could give at each use`() throws {
    #expect(code(try TPMKeyVectors.bytes(TPMKeyVectors.withAuthorization)) == .wrongAuthorization)
  }

  @Test(arguments: [TPMKeyVectors.p384, TPMKeyVectors.rsa])
  func `is refused when it is of another kind than P-256`(text: String) throws {
    #expect(code(try TPMKeyVectors.bytes(text)) == .unsupportedAlgorithm)
  }

  // Offsets of the attributes, cipher, scheme, curve and derivation in the key above.
  @Test(arguments: [
    ("cannot sign", 31, 0x02), ("signs only what the TPM made", 31, 0x07), ("needs a policy", 33, 0x32),
    ("has a cipher", 37, 0x06), ("signs with ECDAA", 39, 0x1A), ("is on P-384", 41, 0x04), ("derives", 43, 0x20),
  ]) func `is refused when it`(what: String, place: Int, byte: UInt8) throws {
    var bytes = try TPMKeyVectors.bytes(TPMKeyVectors.p256)
    bytes[place] = byte
    #expect(code(bytes) == .unsupportedAlgorithm, "\(what)")
  }

  @Test func `may name the only scheme that we use, and no other hash with it`() throws {
    var bytes = try TPMKeyVectors.bytes(TPMKeyVectors.p256)
    // ECDSA with SHA-256 instead of no scheme makes the public half, and everything that contains it, two bytes longer.
    bytes.replaceSubrange(38...39, with: [0x00, 0x18, 0x00, 0x0B])
    (bytes[2], bytes[23], bytes[25]) = (0xF2, 0x5A, 0x58)
    #expect(code(bytes) == nil)
    bytes[41] = 0x0C
    #expect(code(bytes) == .unsupportedAlgorithm)
  }

  @Test func `is refused with a policy, which the provider would leave out`() throws {
    var bytes = try TPMKeyVectors.bytes(TPMKeyVectors.p256)
    bytes.insert(contentsOf: [0xA1, 0x02, 0x30, 0x00], at: 16)
    bytes[2] = 0xF4
    #expect(code(bytes) == .unsupportedAlgorithm)
  }

  @Test func `is refused when it is cut off, or has something after it`() throws {
    let bytes = try TPMKeyVectors.bytes(TPMKeyVectors.p256)
    for count in bytes.indices { #expect(code(Array(bytes.prefix(count))) == .invalidKey) }
    #expect(code(bytes + [0]) == .invalidKey)
    #expect(code([UInt8](repeating: 0x30, count: TPM.maximumKeyLength + 1)) == .invalidKey)
  }
}
