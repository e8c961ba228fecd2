import Crypto
import Encoding
import JOSE
import Testing

@testable import OAuth

/// The bytes with one bit of each in turn changed.
private func changedBits(_ text: String) -> [[UInt8]] {
  let bytes = Array(text.utf8)
  return bytes.indices.map { index in
    var changed = bytes
    changed[index] ^= 1 << (index % 7)
    return changed
  }
}

private func shared(_ bytes: [UInt8]) throws -> SharedSecret { SharedSecret(try SecretBytes(copying: bytes.span)) }

@Suite struct `Known answers that were tampered with` {
  // RFC 7636 appendix B.
  @Test func `another verifier has another challenge`() throws {
    let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    for changed in changedBits(verifier) {
      #expect(try CodeVerifier(shared(changed)).challenge != "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }
  }

  // OpenID Connect Core 1.0 appendices A.3 and A.4.
  @Test func `another access token or code does not fit at_hash and c_hash`() throws {
    let token = "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y"
    let code = "Qcb0Orv1zh30vL1MPRsbm-diHiMwcLyZvn1arpZv-Jxf_11jnpEX3Tgfvk"
    for (text, hash) in [(token, "77QmUPtjPfzWtF2AnpK9RQ"), (code, "LDktKdoQak3Pk0cnXxCltA")] {
      let whole = Array(text.utf8)
      #expect(try JWSAlgorithm.RS256.isLeftHalfHash(hash, of: whole.span))
      for other in changedBits(text) + whole.indices.map({ Array(whole.prefix($0)) }) {
        #expect(try !JWSAlgorithm.RS256.isLeftHalfHash(hash, of: other.span))
      }
      for other in changedBits(hash) + Array(hash.utf8).indices.map({ Array(hash.utf8.prefix($0)) }) {
        #expect(try !JWSAlgorithm.RS256.isLeftHalfHash(String(decoding: other, as: UTF8.self), of: whole.span))
      }
    }
  }

  // RFC 7638 section 3: any change of the key changes the thumbprint.
  @Test func `another key has another thumbprint`() throws {
    let x = try Base64URL.decode("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")
    let known = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"
    #expect(try JWK(.ed25519(x: x)).thumbprint() == known)
    for index in x.indices {
      var changed = x
      changed[index] ^= 1 << (index % 8)
      #expect(try JWK(.ed25519(x: changed)).thumbprint() != known)
    }
  }
}
