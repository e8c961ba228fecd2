import COpenSSL
import Crypto
import Platform
import Testing

@Suite struct `A certificate that a client signs for itself` {
  private static let start = 1_700_000_000

  private func certificate(_ key: borrowing PrivateKey, name: String = "agent") throws -> Certificate {
    try .selfSigned(by: key, name: name, from: Self.start)
  }

  /// The library's own reading of it.
  private func withX509<Result>(_ certificate: Certificate, _ body: (OpaquePointer) throws -> Result) throws -> Result {
    let object = unsafe certificate.der.withUnsafeBufferPointer { buffer in
      var position = buffer.baseAddress
      return unsafe d2i_X509(nil, &position, buffer.count)
    }
    let x509 = unsafe try #require(object)
    defer { unsafe X509_free(x509) }
    return try unsafe body(x509)
  }

  @Test(arguments: [false, true]) func `is for its key and signed by it, in the vault or in a device`(
    isHeld: Bool
  ) throws {
    let device = try PlayedDevice()
    let key = isHeld ? try PrivateKey.make(in: device) : try .generateEC(.p256)
    let certificate = try certificate(key)
    #expect(certificate.publicComponents == key.publicComponents)
    #expect(certificate.isSelfIssued)
    #expect(device.digests.count == (isHeld ? 1 : 0))
    let isSigned = try unsafe withX509(certificate) { unsafe X509_verify($0, X509_get0_pubkey($0)) }
    #expect(isSigned == 1)
  }

  @Test func `has no end, and a number that nobody can guess`() throws {
    let key = try PrivateKey.generateEC(.p256)
    let (one, other) = (try certificate(key), try certificate(key))
    // 9999-12-31T23:59:59Z (RFC 5280 section 4.1.2.5).
    #expect(one.expiresAt == 253_402_300_799)
    #expect(one.digest != other.digest)
    let bits = try unsafe withX509(one) { x509 in
      let number = unsafe ASN1_INTEGER_to_BN(X509_get0_serialNumber(x509), nil)
      defer { unsafe BN_free(number) }
      return unsafe (Int(BN_num_bits(number)), BN_is_negative(number))
    }
    // Sixteen zero bits at its start come once in 65,536 runs.
    #expect((112...128).contains(bits.0) && bits.1 == 0)
  }

  @Test func `is for a client of TLS and for nothing else`() throws {
    let usage = try unsafe withX509(try certificate(.generateEC(.p256))) { x509 in
      unsafe (X509_get_key_usage(x509), X509_get_extended_key_usage(x509), X509_check_ca(x509), X509_get_version(x509))
    }
    #expect(usage.0 == UInt32(X509v3_KU_DIGITAL_SIGNATURE) && usage.1 == UInt32(XKU_SSL_CLIENT))
    #expect(usage.2 == 0 && usage.3 == 2)
  }

  @Test func `takes a name of any length`() throws {
    let key = try PrivateKey.generateEC(.p256)
    let name = String(repeating: "ä", count: 100)
    let text = try unsafe withX509(try certificate(key, name: name)) { x509 in
      var text: UnsafeMutablePointer<UInt8>?
      let entry = unsafe X509_NAME_get_entry(X509_get_subject_name(x509), 0)
      let count = unsafe ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(entry))
      defer { unsafe agent_free(text) }
      return unsafe String(decoding: UnsafeBufferPointer(start: text, count: Int(count)), as: UTF8.self)
    }
    #expect(text == String(repeating: "ä", count: 64))
  }

  @Test(arguments: [CryptoError.Code.unreachable, .foreignKey]) func `is not made by a device that does not sign`(
    problem: CryptoError.Code
  ) throws {
    let device = try PlayedDevice()
    let key = try PrivateKey.make(in: device)
    device.problem = problem
    do {
      _ = try certificate(key)
      Issue.record("nothing was thrown")
    } catch let error as CryptoError {
      #expect(error.code == problem)
    }
  }
}

@Suite struct `A key with a certificate` {
  @Test func `is not one with another's certificate, or with none`() throws {
    let other = try Certificate.selfSigned(by: .generateEC(.p256), name: "other", from: 0)
    #expect(throws: CryptoError(.invalidKey, "certificate")) { try CertifiedKey(.generateEC(.p256), [other]) }
    #expect(throws: CryptoError(.invalidKey, "certificate")) { try CertifiedKey(.generateEC(.p256), []) }
  }

  /// Signs with the object that libssl gets.
  private func sign(_ key: OpaquePointer, _ message: [UInt8]) -> [UInt8]? {
    guard let context = unsafe EVP_MD_CTX_new() else { return nil }
    defer { unsafe EVP_MD_CTX_free(context) }
    var signature = [UInt8](repeating: 0, count: 80)
    var count = signature.count
    guard unsafe EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
      unsafe EVP_DigestSign(context, &signature, &count, message, message.count) == 1
    else { return nil }
    return Array(signature.prefix(count))
  }

  @Test func `has its device sign the hash for the library, and tells why there is no signature`() throws {
    let device = try PlayedDevice()
    let key = try PrivateKey.make(in: device)
    let certificate = try Certificate.selfSigned(by: key, name: "agent", from: 0)
    let message: [UInt8] = [1, 2, 3]
    let certified = try CertifiedKey(key, [certificate, certificate])
    let seen = Monitor<[CryptoError.Code?]>([])
    let (first, others, second) = try unsafe certified.lend { error in
      seen.withLock { $0.append(error?.code) }
    } _: { _, key, chain in
      let first = unsafe sign(key, message)
      device.problem = .unreachable
      return unsafe (first, OPENSSL_sk_num(chain), sign(key, message))
    }
    #expect(device.digests.last == (try Digest.sha256.hash(message.span)))
    #expect(first != nil && second == nil && others == 1)
    #expect(seen.withLock { $0 } == [nil, .unreachable])
  }
}
