package import Crypto
internal import Encoding
package import Platform
internal import Sessions
internal import Wire

/// A token response line, kept in secret memory until sent.
struct TokenLine {
  let line: SharedSecret

  /// Throws `memory` if the secure heap is full. `proof` is a DPoP proof for the token.
  init(
    _ description: TokenDescription, _ grant: AccessGrant, _ extras: TokenRequest.Extras, proof: String? = nil
  ) throws(Failure) {
    let claims = extras.wantsClaims ? grant.claims : JSONObject()
    do throws(CryptoError) {
      let token = try grant.accessToken.open()
      let idToken = extras.wantsIDToken ? try grant.idToken?.open() : nil
      var line = SecretBuffer(capacity: token.bytes.count + (idToken?.bytes.count ?? 0) + 1024)
      token.bytes.withBytes { accessToken in
        let claims = claims.isEmpty ? nil : claims
        guard let idToken else {
          return description.appendAnswer(accessToken: accessToken, claims: claims, proof: proof, to: &line)
        }
        idToken.bytes.withBytes {
          description.appendAnswer(accessToken: accessToken, idToken: $0, claims: claims, proof: proof, to: &line)
        }
      }
      self.line = SharedSecret(try line.finish())
    } catch {
      throw Failure(.memory, account: description.account)
    }
  }
}

extension SharedSecret: SecretLine {
  package var count: Int { bytes.count }

  /// Returns how many bytes the descriptor accepted.
  package func write(from start: Int, to descriptor: borrowing FileDescriptor) throws(SystemError) -> Int {
    try bytes.withBytes { (bytes) throws(SystemError) in try descriptor.writeNow(bytes.extracting(start...)) }
  }
}
