internal import Crypto
internal import Encoding
internal import Sessions
internal import Wire

/// The answer line with a token. It is written on the secure heap and stays there until it is sent.
struct TokenLine {
  let grant: AccessGrant
  let line: SharedSecret

  /// - Parameter proof: Of possession of the key that the token is bound to.
  /// - Throws: `memory` when the secure heap is full.
  init(
    _ description: TokenDescription, _ grant: AccessGrant, _ extras: TokenRequest.Extras, proof: String? = nil
  ) throws(Failure) {
    let idToken = extras.idToken ? grant.idToken : nil
    let claims = extras.claims && !grant.claims.isEmpty ? grant.claims : nil
    var line = SecretBuffer(capacity: grant.accessToken.bytes.count + (idToken?.bytes.count ?? 0) + 1024)
    grant.accessToken.bytes.withBytes { accessToken in
      guard let idToken else {
        return description.appendAnswer(accessToken: accessToken, claims: claims, proof: proof, to: &line)
      }
      idToken.bytes.withBytes {
        description.appendAnswer(accessToken: accessToken, idToken: $0, claims: claims, proof: proof, to: &line)
      }
    }
    do {
      self.line = SharedSecret(try line.finish())
    } catch {
      throw Failure(.memory, account: description.account)
    }
    self.grant = grant
  }
}
