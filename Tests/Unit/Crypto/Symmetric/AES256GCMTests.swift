import Crypto
import Testing

@Suite struct `AES-256-GCM` {
  // Test case 16 of McGrew and Viega's specification, adopted by NIST SP 800-38D.
  static let key = hex("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308")
  static let nonce = hex("cafebabefacedbaddecaf888")
  static let data = hex("feedfacedeadbeeffeedfacedeadbeefabaddad2")
  static let plaintext = hex(
    """
    d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72
    1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39
    """)
  static let sealed = hex(
    """
    522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838
    c5f61e6393ba7a0abcc9f662 76fc6ece0f4e1768cddf8853bb2d551b
    """)
  static let refusal = CryptoError(.authenticationFailed, "AES-256-GCM")

  static func seal(_ text: [UInt8], key: [UInt8], nonce: [UInt8], data: [UInt8]) throws -> [UInt8] {
    let key = try secret(key)
    return try AES256GCM.seal(text.span, key: key, nonce: nonce, associatedData: data.span)
  }

  static func open(
    _ sealed: [UInt8], key: [UInt8] = key, nonce: [UInt8] = nonce, data: [UInt8] = data
  ) throws -> [UInt8] {
    let key = try secret(key)
    return revealed(try AES256GCM.open(sealed.span, key: key, nonce: nonce, associatedData: data.span))
  }

  @Test func `the known answer is sealed and opened`() throws {
    #expect(try Self.seal(Self.plaintext, key: Self.key, nonce: Self.nonce, data: Self.data) == Self.sealed)
    #expect(try Self.open(Self.sealed) == Self.plaintext)
  }

  @Test func `nothing under the zero key gives the known tag`() throws {
    let sealed = try Self.seal([], key: repeated(0, 32), nonce: repeated(0, 12), data: [])
    #expect(sealed == hex("530f8afbc74536b9a963b4f1c4cb738b"))
    #expect(try Self.open(sealed, key: repeated(0, 32), nonce: repeated(0, 12), data: []) == [])
  }

  @Test(arguments: sealed.indices) func `a changed bit in any byte is noticed`(index: Int) {
    for bit in 0..<8 {
      #expect(throws: Self.refusal) { try Self.open(flipping(Self.sealed, at: index, bit: bit)) }
    }
  }

  @Test(arguments: sealed.indices) func `a text cut short is refused`(count: Int) {
    #expect(throws: Self.refusal) { try Self.open(Array(Self.sealed.prefix(count))) }
  }

  @Test func `another key, nonce or associated data is refused`() {
    for index in Self.key.indices {
      #expect(throws: Self.refusal) { try Self.open(Self.sealed, key: flipping(Self.key, at: index)) }
    }
    for index in Self.nonce.indices {
      #expect(throws: Self.refusal) { try Self.open(Self.sealed, nonce: flipping(Self.nonce, at: index)) }
    }
    for index in Self.data.indices {
      #expect(throws: Self.refusal) { try Self.open(Self.sealed, data: flipping(Self.data, at: index)) }
    }
    #expect(throws: Self.refusal) { try Self.open(Self.sealed, data: []) }
  }

  @Test(arguments: [0, 16, 31, 33]) func `a key of another length is refused`(count: Int) {
    #expect(throws: CryptoError(.invalidLength, "AES-256-GCM")) {
      try Self.open(Self.sealed, key: repeated(1, count))
    }
    #expect(throws: CryptoError(.invalidLength, "AES-256-GCM")) {
      try Self.seal([], key: repeated(1, count), nonce: Self.nonce, data: [])
    }
  }

  @Test(arguments: [0, 11, 13, 16]) func `a nonce of another length is refused`(count: Int) {
    #expect(throws: CryptoError(.invalidLength, "AES-256-GCM")) {
      try Self.open(Self.sealed, nonce: repeated(1, count))
    }
  }

  @Test func `the largest secret is sealed and opened, a larger one is not opened`() throws {
    let text = repeated(3, SecretBytes.maximumCount)
    let sealed = try Self.seal(text, key: Self.key, nonce: Self.nonce, data: [])
    #expect(sealed.count == text.count + AES256GCM.tagByteCount)
    #expect(try Self.open(sealed, data: []) == text)
    #expect(throws: CryptoError(.invalidLength, "secret")) { try Self.open(sealed + [0], data: []) }
  }
}
