import Crypto
import Platform
import TestSupport
import Testing

@testable import Vault

@Suite(.needsSoftwareTPM) struct `A key in a TPM` {
  /// Uses a TPM exclusively, with the vaults of other tests waiting.
  private func ask<Answer: Sendable>(
    _ access: TPMAccess, _ question: @escaping @Sendable (borrowing TPM) throws(CryptoError) -> Answer
  ) throws -> Answer {
    try TPMLock.shared.run(wait: .testLimit) {
      Result { () throws(CryptoError) in try question(try access.connect()) }
    }.get()
  }

  /// The shared secret computed by the TPM.
  private func agree(
    _ tpm: SoftwareTPM, _ key: [UInt8], _ authorization: String = "", peer: PublicComponents
  ) throws -> SharedSecret {
    let authorization = SharedSecret(secret(authorization))
    return try ask(.at(tpm.connection)) { (tpm) throws(CryptoError) in
      SharedSecret(try tpm.sharedSecret(with: key, authorization: authorization.bytes, peer: peer))
    }
  }

  private func makeKey(_ tpm: SoftwareTPM, _ authorization: String = "") throws -> TPM.Key {
    let authorization = SharedSecret(secret(authorization))
    return try ask(.at(tpm.connection)) { (tpm) throws(CryptoError) in
      try tpm.makeKey(authorization: authorization.bytes)
    }
  }

  private func failure(_ body: () throws -> Void) -> CryptoError.Code? {
    do { try body() } catch { return (error as? CryptoError)?.code }
    return nil
  }

  @Test(arguments: ["", "1234", "0123456789abcdef0123456789abcdef"])
  func `shares with a key of ours what ours shares with it`(authorization: String) throws {
    let tpm = try SoftwareTPM()
    let key = try makeKey(tpm, authorization)
    for _ in 0..<3 {
      let own = try PrivateKey.generateEC(.p256)
      let ours = try own.sharedSecret(with: key.publicComponents)
      let theirs = try agree(tpm, key.serialized, authorization, peer: own.publicComponents)
      #expect(ours.count == 32)
      let isSame = ours.isEqual(to: theirs.bytes)
      #expect(isSame)
    }
  }

  @Test func `is nothing to another TPM`() throws {
    let key = try makeKey(SoftwareTPM())
    let peer = try PrivateKey.generateEC(.p256).publicComponents
    let other = try SoftwareTPM()
    #expect(failure { _ = try agree(other, key.serialized, peer: peer) } == .foreignKey)
  }

  @Test func `takes its own authorization only, until the TPM takes none`() throws {
    let tpm = try SoftwareTPM()
    let key = try makeKey(tpm, "1234")
    let peer = try PrivateKey.generateEC(.p256).publicComponents
    #expect(failure { _ = try agree(tpm, key.serialized, "1235", peer: peer) } == .wrongAuthorization)
    _ = try agree(tpm, key.serialized, "1234", peer: peer)
    var last: CryptoError.Code?
    for _ in 0..<40 {
      last = failure { _ = try agree(tpm, key.serialized, "x", peer: peer) }
      if last != .wrongAuthorization { break }
    }
    #expect(last == .lockedOut)
    #expect(failure { _ = try agree(tpm, key.serialized, "1234", peer: peer) } == .lockedOut)
  }

  @Test func `is refused when it is damaged, and the TPM goes on`() throws {
    let tpm = try SoftwareTPM()
    let key = try makeKey(tpm)
    let own = try PrivateKey.generateEC(.p256)
    let peer = own.publicComponents
    var codes: Set<CryptoError.Code?> = []
    for index in stride(from: 0, to: key.serialized.count, by: 5) {
      var bytes = key.serialized
      bytes[index] ^= 1
      // Some bits have no effect, for example in the number of the parent.
      let code = failure { _ = try agree(tpm, bytes, peer: peer) }
      #expect([.foreignKey, .refused, .wrongAuthorization, nil].contains(code), "byte \(index)")
      codes.insert(code)
    }
    #expect(codes.contains(.foreignKey))
    for count in stride(from: 0, to: key.serialized.count, by: 11) {
      let code = failure { _ = try agree(tpm, Array(key.serialized.prefix(count)), peer: peer) }
      #expect([.foreignKey, .invalidKey].contains(code), "length \(count)")
    }
    _ = try agree(tpm, key.serialized, peer: peer)
  }

  @Test func `needs the provider and a TPM`() throws {
    let nowhere = "swtpm:path=/nonexistent/socket"
    let cases: [(TPMAccess, CryptoError.Code)] = [
      (.at(nowhere), .unreachable),
      (.at("device:/dev/null"), .unreachable),
      (.at("nonsense"), .unreachable),
      (.at(nowhere, module: "/nonexistent/tpm2.so"), .noProvider),
      (.at(nowhere, module: "/etc/hostname"), .noProvider),
      (.at(nowhere, module: "/tmp/$HOME\n"), .noProvider),
    ]
    for (access, code) in cases {
      #expect(failure { _ = try ask(access) { _ in true } } == code)
    }
  }

  @Test func `signs what its public half verifies, and leaves the TPM only sealed`() throws {
    let tpm = try SoftwareTPM()
    let device = TPMBinding(.at(tpm.connection))
    let key = try PrivateKey.make(in: device)
    let message = Array("agent".utf8)
    for _ in 0..<3 {
      let signature = try key.sign(.ecdsa(.p256, .sha256), message: message.span)
      let isGood = try key.publicKey().verify(.ecdsa(.p256, .sha256), signature: signature.span, message: message.span)
      #expect(isGood && signature.count == 64)
    }
    #expect(failure { _ = try key.serialized() } == .unsupportedAlgorithm)
    let stored = SharedSecret(try key.serializedForVault())
    let again = try stored.bytes.withBytes { (bytes) throws(CryptoError) in try PrivateKey(stored: bytes, in: device) }
    #expect(again.publicComponents == key.publicComponents)
    _ = try again.sign(.ecdsa(.p256, .sha256), message: message.span)
    // The bytes are useless for another TPM, and without one.
    let otherTPM = try SoftwareTPM()
    let other = TPMBinding(.at(otherTPM.connection))
    let copied = try stored.bytes.withBytes { (bytes) throws(CryptoError) in try PrivateKey(stored: bytes, in: other) }
    #expect(failure { _ = try copied.sign(.ecdsa(.p256, .sha256), message: message.span) } == .foreignKey)
    #expect(
      failure {
        _ = try stored.bytes.withBytes { (bytes) throws(CryptoError) in try PrivateKey(serialized: bytes) }
      } == .invalidKey)
    try tpm.end()
    #expect(failure { _ = try again.sign(.ecdsa(.p256, .sha256), message: message.span) } == .unreachable)
  }

  @Test func `leaves the rest of the library as it is`() throws {
    let tpm = try SoftwareTPM()
    let isSame = try ask(.at(tpm.connection)) { (connection) throws(CryptoError) in
      _ = try connection.makeKey(authorization: SecretBytes())
      let own = try PrivateKey.generateEC(.p256)
      let other = try PrivateKey.generateEC(.p256)
      // With the TPM's implementation, the library would use it, or reject a key that is not in it.
      return try own.sharedSecret(with: other.publicComponents).isEqual(
        to: other.sharedSecret(with: own.publicComponents))
    }
    #expect(isSame)
  }
}
