import Crypto
import Encoding
import Testing

@testable import OAuth

/// The bytes with one bit of each inverted in turn.
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
    #expect(try JWK(.raw(.ed25519, x)).thumbprint() == known)
    var others: Set<String> = []
    for index in x.indices {
      var changed = x
      changed[index] ^= 1 << (index % 8)
      // About half of them are not on the curve.
      if let key = try? JWK(.raw(.ed25519, changed)) { others.insert(key.thumbprint()) }
    }
    #expect(others.count > 8 && !others.contains(known))
  }
}

/// The proofs of RFC 9449, all with one key: in sections 4.1, 5 (also for a refresh) and 7.1.
@Suite struct `Proofs of RFC 9449` {
  private static let header =
    "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZ"
    + "OXpDa0RscEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIs"
    + "ImNydiI6IlAtMjU2In19"

  private static let proofs: [(rest: String, claim: String, value: JSON)] = [
    (
      ".eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29"
        + "tL3Rva2VuIiwiaWF0IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0"
        + "x7NVY-FNyJK70nfbV37xRZT3Lg",
      "htu", "https://server.example.com/token"
    ),
    (
      ".eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29"
        + "tL3Rva2VuIiwiaWF0IjoxNTYyMjY1Mjk2fQ.pAqut2IRDm_De6PR93SYmGBPXpwrAk90e8cP2hjiaG5QsGSuKDYW7_X620Bx"
        + "qhvYC8ynrrvZLTk41mSRroapUA",
      "iat", 1_562_265_296
    ),
    (
      ".eyJqdGkiOiJlMWozVl9iS2ljOC1MQUVCIiwiaHRtIjoiR0VUIiwiaHR1IjoiaHR0cHM6Ly9yZXNvdXJjZS5leGFtcGxlLm9"
        + "yZy9wcm90ZWN0ZWRyZXNvdXJjZSIsImlhdCI6MTU2MjI2MjYxOCwiYXRoIjoiZlVIeU8ycjJaM0RaNTNFc05yV0JiMHhXWG9"
        + "hTnk1OUlpS0NBcWtzbVFFbyJ9.2oW9RP35yRqzhrtNP86L-Ey71EOptxRimPPToA1plemAgR6pxHF8y6-yqyVnmcw6Fy1dqd"
        + "-jfxSYoMxhAJpLjA",
      "ath", "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo"
    ),
  ]

  private func verify(_ bytes: [UInt8]) throws -> (key: JWK, payload: [UInt8]) {
    let jws = try UnverifiedJWS(compact: bytes.span)
    guard let members = jws.header["jwk"]?.object else { throw JOSEError(.invalidHeader) }
    let key = try JWK(members)
    let verified = try jws.verified(
      by: JWKSet([key]), algorithms: [.ES256], allowedTypes: .required(["dpop+jwt"]))
    return (key, verified.payload)
  }

  @Test func `the sample proofs of RFC 9449 verify, and none with a changed bit or cut short does so by their key`()
    throws
  {
    let thumbprint = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"
    for (rest, claim, value) in Self.proofs {
      let text = Self.header + rest
      let proof = try verify(Array(text.utf8))
      #expect(proof.key.thumbprint() == thumbprint)
      #expect(try JWTClaims(payload: proof.payload).object[claim] == value)
      let whole = Array(text.utf8)
      for bytes in changedBits(text) + whole.indices.map({ Array(whole.prefix($0)) }) {
        let found = try? verify(bytes)
        #expect(found?.key.thumbprint() != thumbprint)
      }
    }
  }
}
