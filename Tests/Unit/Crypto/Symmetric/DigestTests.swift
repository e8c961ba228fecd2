import Crypto
import Testing

@Suite struct `Digests` {
  // FIPS 180-4 examples.
  @Test(arguments: [
    (Digest.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      Digest.sha384,
      "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
    ),
    (
      Digest.sha512,
      """
      ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a
      2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f
      """
    ),
  ])
  func `the hash of abc is the one of FIPS 180-4`(digest: Digest, expected: String) throws {
    #expect(try digest.hash(utf8("abc").span) == hex(expected))
  }

  @Test(arguments: Digest.allCases) func `a hash has its length, also of nothing`(digest: Digest) throws {
    #expect(try digest.hash([UInt8]().span).count == digest.byteCount)
  }

  @Test func `the hash of nothing is the known one`() throws {
    let expected = hex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(try Digest.sha256.hash([UInt8]().span) == expected)
  }
}

@Suite struct `HMAC with SHA-256` {
  @Test func `RFC 4231 section 4.3 gives the known codes with the longer hashes`() throws {
    let (key, message) = (utf8("Jefe"), utf8("what do ya want for nothing?"))
    #expect(
      try HMAC.code(.sha384, key: key.span, message.span)
        == hex("af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649"))
    #expect(
      try HMAC.code(.sha512, key: key.span, message.span)
        == hex(
          "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
            + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"))
  }

  @Test func `RFC 4231 section 4.2 and 4.3 give the known codes`() throws {
    let first = try HMAC.sha256(key: repeated(0x0b, 20).span, utf8("Hi There").span)
    #expect(first == hex("b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"))
    let second = try HMAC.sha256(key: utf8("Jefe").span, utf8("what do ya want for nothing?").span)
    #expect(second == hex("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"))
  }

  @Test func `a key longer than 65,536 bytes is refused`() {
    #expect(throws: CryptoError(.invalidLength, "HMAC")) {
      try HMAC.sha256(key: repeated(1, 65_537).span, utf8("x").span)
    }
  }
}
