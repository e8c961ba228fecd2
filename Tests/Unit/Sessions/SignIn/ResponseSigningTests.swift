import Crypto
import Encoding
import OAuth
import Sessions
import Testing
import Vocabulary

// OpenID Connect Dynamic Client Registration 1.0 section 2: the algorithms the client is registered for.
@Suite struct `What ID Tokens are protected with` {
  private static let clientSecret = "a client secret of 32 bytes or more"
  let home: Home

  init() throws { home = try Home() }

  private func account(_ algorithm: SigningAlgorithm) -> AccountConfiguration {
    var configuration = Home.configuration
    configuration.tokenEndpointAuthMethod = .secretPost
    configuration.idTokenAlgorithm = algorithm
    return configuration
  }

  private func signIn(_ configuration: AccountConfiguration, _ idToken: String) throws -> SignIn.Outcome {
    let given = SignInSecrets(clientSecret: try secret(Self.clientSecret))
    return try home.finish(
      try home.prepare(configuration, given), tokens("at-1", refresh: "rt-1", idToken: idToken))
  }

  private func secretToken() throws -> String {
    let header: JSON = ["alg": "HS256"]
    let text = [header, .object(TestIssuer.claims)].map { Base64URL.encode($0.serialized()) }.joined(separator: ".")
    let (key, message) = (Array(Self.clientSecret.utf8), Array(text.utf8))
    return text + "." + Base64URL.encode(try HMAC.code(.sha256, key: key.span, message.span))
  }

  // OpenID Connect Core 1.0 section 3.1.3.7 step 8.
  @Test func `is the client secret only where the account says so`() throws {
    let token = try secretToken()
    #expect(throws: SessionError.idToken(IDTokenError(.signature(.algorithmNotAllowed)))) {
      _ = try signIn(account(.ES256), token)
    }
    home.http.forgetRequests()
    let outcome = try signIn(account(.HS256), token)
    #expect(outcome.grant.claims == TestIssuer.claims)
    #expect(!home.http.urls.contains(TestIssuer.keysURL))
    let refused = IDTokenError(.signature(.algorithmNotAllowed))
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2", idToken: TestIssuer.first.idToken()))
    #expect(throws: SessionError.idToken(refused)) { _ = try home.refresh(account(.HS256)) }
  }

  @Test func `is a secret only for a client that has one`() throws {
    var configuration = account(.HS256)
    configuration.tokenEndpointAuthMethod = .none
    let error = ConfigurationError(.missingClientSecret, "client_secret")
    #expect(throws: SessionError.configuration(error)) { _ = try home.prepare(configuration, SignInSecrets()) }
  }

  // Step 7: only the algorithm that the client is registered with.
  @Test func `is the registered algorithm and no other`() throws {
    #expect(try signIn(account(.ES256), TestIssuer.first.idToken()).grant.subject == "alice")
    let refused = SessionError.idToken(IDTokenError(.signature(.algorithmNotAllowed)))
    // The account already has a session, which remains untouched.
    #expect(throws: SessionError.grantNotStored(because: refused, isRevoked: false)) {
      _ = try signIn(account(.RS256), TestIssuer.first.idToken())
    }
  }

  // Core section 3.1.3.3: a server without a key set can still be asked for one.
  @Test func `under the secret are missed at a server without keys too`() throws {
    var metadata = TestIssuer.metadata("jwks_uri", nil)
    metadata["token_endpoint_auth_methods_supported"] = ["client_secret_post"]
    home.http.always(TestIssuer.metadataURL, try response(200, .object(metadata)))
    var configuration = account(.HS256)
    configuration.scope = ["openid"]
    let given = SignInSecrets(clientSecret: try secret(Self.clientSecret))
    let outcome = try home.finish(try home.prepare(configuration, given), tokens("at-1", refresh: "rt-1"))
    #expect(outcome.missesIDToken)
    #expect(try signIn(configuration, secretToken()).grant.subject == "alice")
  }
}
