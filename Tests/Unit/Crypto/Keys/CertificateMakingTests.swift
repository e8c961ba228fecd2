import Crypto
import Encoding
import TestSupport
import Testing

@Suite struct `A certificate that a client signs for itself` {
  private static let start = 1_700_000_000

  private func certificate(_ key: borrowing PrivateKey, name: String = "agent") throws -> Certificate {
    try key.selfSignedCertificate(name: name, from: Self.start)
  }

  /// Runs openssl.
  private func run(_ command: String, _ certificate: Certificate) throws -> String {
    let directory = try TemporaryDirectory()
    try directory.write("certificate", PEM.text("CERTIFICATE", certificate.der))
    let result = try ProcessRunner.shell("cd '\(directory.path)' && openssl \(command)")
    try #require(result.succeeded, "\(result.errorText)")
    return result.outputText
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
    let verified = try run(
      "verify -check_ss_sig -purpose sslclient -x509_strict -CAfile certificate certificate", certificate)
    #expect(verified == "certificate: OK\n")
  }

  @Test func `has no end, and a number that nobody can guess`() throws {
    let key = try PrivateKey.generateEC(.p256)
    let (one, other) = (try certificate(key), try certificate(key))
    // 9999-12-31T23:59:59Z (RFC 5280 section 4.1.2.5).
    #expect(one.expiresAt == 253_402_300_799)
    let numbers = try [one, other].map { try run("x509 -in certificate -noout -serial", $0).dropFirst("serial=".count) }
    #expect(numbers[0] != numbers[1])
    // At least ten bytes: 48 leading zero bits do not occur.
    for number in numbers { #expect((20...33).contains(number.utf8.count)) }
    let dates = try run("x509 -in certificate -noout -startdate", one)
    #expect(dates == "notBefore=Nov 14 22:13:20 2023 GMT\n")
  }

  @Test func `is for a client of TLS and for nothing else`() throws {
    let text = try run("x509 -in certificate -noout -text", try certificate(.generateEC(.p256)))
    for part in [
      "Version: 3", "ecdsa-with-SHA256", "X509v3 Basic Constraints: critical\n                CA:FALSE",
      "X509v3 Key Usage: critical\n                Digital Signature\n",
      "X509v3 Extended Key Usage: \n                TLS Web Client Authentication\n",
    ] { #expect(text.contains(part), "\(part)") }
  }

  // Servers look up trusted certificates by name, and ours may share a name.
  @Test func `is told apart from another of the same name by its key's identifier`() throws {
    let (one, other) = (try certificate(.generateEC(.p256)), try certificate(.generateEC(.p256)))
    let directory = try TemporaryDirectory()
    try directory.write("own", PEM.text("CERTIFICATE", other.der))
    try directory.write("all", PEM.text("CERTIFICATE", one.der) + PEM.text("CERTIFICATE", other.der))
    let result = try ProcessRunner.shell(
      "cd '\(directory.path)' && openssl verify -check_ss_sig -purpose sslclient -CAfile all own")
    #expect(result.succeeded, "\(result.errorText)")
  }

  @Test func `takes a name of any length`() throws {
    let certificate = try certificate(.generateEC(.p256), name: String(repeating: "ä", count: 100))
    let subject = try run("x509 -in certificate -noout -subject -nameopt utf8", certificate)
    #expect(subject == "subject=CN=\(String(repeating: "ä", count: 64))\n")
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
    let other = try PrivateKey.generateEC(.p256).selfSignedCertificate(name: "other", from: 0)
    #expect(throws: CryptoError(.invalidKey, "certificate")) { try CertifiedKey(.generateEC(.p256), [other]) }
    #expect(throws: CryptoError(.invalidKey, "certificate")) { try CertifiedKey(.generateEC(.p256), []) }
  }
}
