import Crypto
import Testing

@Suite struct `Agreeing on a secret` {
  private func bytes(_ text: String) -> [UInt8] {
    let digits = text.utf8.map { $0 < 58 ? $0 - 48 : $0 - 55 }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  private func key(x: String, y: String, secret: String) throws -> PrivateKey {
    let secret = bytes(secret)
    return try PrivateKey(curve: .p256, x: bytes(x), y: bytes(y), secret: SecretBytes(copying: secret.span))
  }

  // RFC 5903 section 8.1.
  @Test func `gives the answer of RFC 5903 section 8.1 on both sides`() throws {
    let initiator = try key(
      x: "DAD0B65394221CF9B051E1FECA5787D098DFE637FC90B9EF945D0C3772581180",
      y: "5271A0461CDB8252D61F1C456FA3E59AB1F45B33ACCF5F58389E0577B8990BB3",
      secret: "C88F01F510D9AC3F70A292DAA2316DE544E9AAB8AFE84049C62A9C57862D1433")
    let responder = try key(
      x: "D12DFB5289C8D4F81208B70270398C342296970A0BCCB74C736FC7554494BF63",
      y: "56FBF3CA366CC23E8157854C13C58D6AAC23F046ADA30F8353E74F33039872AB",
      secret: "C6EF9C5D78AE012A011164ACB397CE2088685D8F06BF9BE0B283AB46476BEE53")
    let expected = bytes("D6840F6B42F6EDAFD13116E0E12565202FEF8E9ECE7DCE03812464D04B9442DE")
    for secret in [
      SharedSecret(try initiator.sharedSecret(with: responder.publicComponents)),
      SharedSecret(try responder.sharedSecret(with: initiator.publicComponents)),
    ] {
      #expect(secret.bytes.withBytes { bytes in bytes.indices.map { bytes[$0] } } == expected)
    }
  }

  @Test func `takes points of the curve only, and keys on it`() throws {
    let own = try PrivateKey.generateEC(.p256)
    guard case .ec(_, let x, var y) = own.publicComponents else {
      Issue.record("no point")
      return
    }
    y[31] ^= 1
    func code(_ body: () throws -> Void) -> CryptoError.Code? {
      do { try body() } catch { return (error as? CryptoError)?.code }
      return nil
    }
    #expect(code { _ = try own.sharedSecret(with: .ec(curve: .p256, x: x, y: y)) } == .invalidKey)
    let other = try PrivateKey.generateEC(.p384)
    #expect(code { _ = try own.sharedSecret(with: other.publicComponents) } == .unsupportedAlgorithm)
    #expect(code { _ = try other.sharedSecret(with: own.publicComponents) } == .unsupportedAlgorithm)
  }
}
