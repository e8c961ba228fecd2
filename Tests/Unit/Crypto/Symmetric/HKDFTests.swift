import Crypto
import Testing

struct HKDFVector: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var secret: [UInt8]
  var salt: [UInt8]
  var info: [UInt8]
  var key: [UInt8]
}

@Suite struct `HKDF with SHA-256` {
  static let vectors = [
    HKDFVector(
      testDescription: "RFC 5869 appendix A.1",
      secret: repeated(0x0b, 22), salt: Array(0...0x0c), info: Array(0xf0...0xf9),
      key: hex("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")),
    HKDFVector(
      testDescription: "RFC 5869 appendix A.2",
      secret: Array(0...0x4f), salt: Array(0x60...0xaf), info: Array(0xb0...0xff),
      key: hex(
        """
        b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09
        da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87
        """)),
    HKDFVector(
      testDescription: "RFC 5869 appendix A.3, without salt and info",
      secret: repeated(0x0b, 22), salt: [], info: [],
      key: hex("8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8")),
  ]

  @Test(arguments: vectors) func `the known answers of RFC 5869`(vector: HKDFVector) throws {
    let key = try HKDF.sha256(
      secret: vector.secret.span, salt: vector.salt.span, info: vector.info.span, count: vector.key.count)
    #expect(revealed(key) == vector.key)
  }

  @Test(arguments: [0, -1, 8161]) func `a key of an impossible length is refused`(count: Int) {
    #expect(throws: CryptoError(.invalidLength, "HKDF")) {
      _ = try HKDF.sha256(secret: [1].span, salt: [UInt8]().span, info: [UInt8]().span, count: count).count
    }
  }

  @Test func `the longest key and the longest info work, more is refused`() throws {
    let info = repeated(7, 1024)
    let key = try HKDF.sha256(secret: [1].span, salt: info.span, info: info.span, count: 8160)
    let count = key.count
    #expect(count == 8160)
    #expect(throws: CryptoError(.invalidLength, "HKDF")) {
      _ = try HKDF.sha256(secret: [1].span, salt: info.span, info: (info + [7]).span, count: 32).count
    }
    #expect(throws: CryptoError(.invalidLength, "HKDF")) {
      _ = try HKDF.sha256(secret: [UInt8]().span, salt: info.span, info: info.span, count: 32).count
    }
  }
}
