import Crypto
import Encoding
import OAuth
import Sessions
import TestSupport
import Testing
import Vocabulary

/// How sign-ins and refreshes authenticate the client.
@Suite struct `What a client proves itself with` {
  private static let key = """
    {"kty":"EC","crv":"P-256","kid":"k1","alg":"ES256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
    "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0","d":"jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"}
    """

  private static func keyFile(_ text: String = key) throws -> ClientKeyFile {
    let bytes = Array(text.utf8)
    return try ClientKeyFile(bytes.span, in: NoDevice())
  }

  /// A home with a server that announces these methods.
  private func home(_ methods: [String], _ more: [(String, JSON)] = []) throws -> Home {
    let home = try Home()
    var metadata = TestIssuer.metadata(
      "token_endpoint_auth_methods_supported", .array(methods.map { .string($0) }))
    for (name, value) in more { metadata[name] = value }
    home.http.always(TestIssuer.metadataURL, try response(200, .object(metadata)))
    return home
  }

  private func signIn(
    _ home: Home, _ given: SignInSecrets, _ configuration: AccountConfiguration = Home.configuration
  ) throws -> SignIn.Outcome {
    let signIn = try home.prepare(configuration, given)
    return try home.finish(signIn, tokens("at-1", refresh: "rt-1", idToken: TestIssuer.first.idToken()))
  }

  private func given(_ key: ClientKeyFile) -> SignInSecrets {
    var given = SignInSecrets()
    given.credentials.key = key.key
    return given
  }

  @Test func `is a key whose file tells its name and its algorithm`() throws {
    let file = try Self.keyFile()
    #expect(file.keyID == "k1" && file.algorithm == .ES256)
    #expect(throws: SessionError.configuration(ConfigurationError(.unusableClientKey(.malformed), ""))) {
      try Self.keyFile("{}")
    }
    #expect(throws: SessionError.configuration(ConfigurationError(.unusableClientKey(.encrypted), ""))) {
      try Self.keyFile("-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----")
    }
    #expect(throws: SessionError.configuration(ConfigurationError(.unusableClientKey(.unsupported), ""))) {
      try Self.keyFile(#"{"kty":"oct","k":"AAAA"}"#)
    }
  }

  /// Signed with ``certificateKey``; created with `openssl` for tests only.
  static let certificate = """
    -----BEGIN CERTIFICATE-----
    MIIBZjCCAQygAwIBAgIBATAKBggqhkjOPQQDAjARMQ8wDQYDVQQDDAZjbGllbnQw
    IBcNMjYxMTIxMDU0MDM4WhgPMjEyNjEwMjgwNTQwMzhaMBExDzANBgNVBAMMBmNs
    aWVudDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABNNc60vbrCw2GtQ+bkepZPlE
    XzLGz0jzuwBEA06t430LnwIqx6MDaAi/i0RX5cVC40k1xbxMl6nw2BUqgn9uvlyj
    UzBRMB0GA1UdDgQWBBSwMhITMGyOAi8tMaK24wkFnCI+ZzAfBgNVHSMEGDAWgBSw
    MhITMGyOAi8tMaK24wkFnCI+ZzAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMC
    A0gAMEUCIQDVADisAt5Aw8MHkFwIb+LFYZsuRfApabfq34hSjvt6UAIgEvjdV2fT
    nSAMQHMH7P+Dd2zKKsDncSR7w6f/c//tI7s=
    -----END CERTIFICATE-----
    """

  static let certificateKey = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg13J+8kmeesXIFpV5
    VoFk+4aJxemaG0Y6h5mC6HRZjuuhRANCAATTXOtL26wsNhrUPm5HqWT5RF8yxs9I
    87sARANOreN9C58CKsejA2gIv4tEV+XFQuNJNcW8TJep8NgVKoJ/br5c
    -----END PRIVATE KEY-----
    """

  // RFC 8705 section 4: a certificate can bind tokens while the client authenticates by another method.
  @Test(
    arguments: [
      (["client_secret_basic"], "s", .secretBasic), (["client_secret_post"], "s", .secretPost),
      (["none", "private_key_jwt"], nil, .privateKeyJWT), (["none"], nil, .none),
      (["self_signed_tls_client_auth", "private_key_jwt"], "s", .selfSignedTLSClientAuth),
    ] as [([String], String?, ClientAuthenticationMethod)])
  func `is beside a certificate what the server announces, a given secret before a key`(
    announced: [String], text: String?, method: ClientAuthenticationMethod
  ) throws {
    let home = try home(announced)
    var given = given(try Self.keyFile(Self.certificateKey))
    given.credentials.certificate = try secret(Self.certificate)
    given.credentials.secret = try text.map(secret)
    var configuration = Home.configuration
    configuration.usesClientCertificate = true
    let signIn = try home.prepare(configuration, given)
    #expect(signIn.prepared.configuration.tokenEndpointAuthMethod == method)
  }

  // RFC 7523: if there is only a key, no other method is possible.
  @Test func `is a token by its key, at sign-in and at each refresh`() throws {
    let home = try home(["private_key_jwt"])
    let outcome = try signIn(home, given(try Self.keyFile()))
    #expect(outcome.configuration.tokenEndpointAuthMethod == .privateKeyJWT)
    #expect(try home.stored()?.credentials.key != nil)
    home.http.forgetRequests()
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2"))
    _ = try home.refresh(outcome.configuration, home.otherProcess())
    let form = try #require(home.http.requests.last?.form)
    #expect(form.contains("client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer"))
    #expect(form.filter { $0.hasPrefix("client_assertion=ey") }.count == 1)
  }

  @Test func `is taken from the vault at later sign-ins`() throws {
    let home = try home(["private_key_jwt"])
    let first = try signIn(home, given(try Self.keyFile()))
    let second = try signIn(home, SignInSecrets(), first.configuration)
    #expect(second.configuration == first.configuration)
    #expect(try home.stored()?.credentials.key != nil)
  }

  // A settings file written by an attacker must not use the key for them.
  @Test func `is not taken from the vault for another client or issuer`() throws {
    let home = try home(["private_key_jwt"])
    var configuration = try signIn(home, given(try Self.keyFile())).configuration
    configuration.clientID = "other"
    #expect(throws: SessionError.configurationChanged(account: "work", setting: "client_id")) {
      try home.prepare(configuration)
    }
  }

  @Test(arguments: [
    (ClientAuthenticationMethod.privateKeyJWT, ConfigurationError.Code.missingClientKey),
    (.tlsClientAuth, .missingClientCertificate), (.selfSignedTLSClientAuth, .missingClientCertificate),
    (.secretPost, .missingClientSecret),
  ]) func `must be there for its method`(method: ClientAuthenticationMethod, code: ConfigurationError.Code) throws {
    let home = try home([method.rawValue])
    var configuration = Home.configuration
    configuration.tokenEndpointAuthMethod = method
    do {
      _ = try home.prepare(configuration)
      Issue.record("nothing was thrown")
    } catch SessionError.configuration(let error) {
      #expect(error.code == code)
    }
  }

  @Test func `must fit the algorithm that the settings name`() throws {
    let home = try home(["private_key_jwt"])
    var configuration = Home.configuration
    configuration.clientKeyAlgorithm = .RS256
    #expect(throws: SessionError.configuration(ConfigurationError(.mismatchedKeyAlgorithm, "RS256"))) {
      try home.prepare(configuration, given(try Self.keyFile()))
    }
  }

  // RFC 6749 section 2.3.1, and servers that do not decode it.
  @Test(arguments: [(false, "cli:a%25b"), (true, "cli:a%b")]) func `may be a secret, encoded or not`(
    isUnencoded: Bool, credentials: String
  ) throws {
    let home = try home(["client_secret_basic"])
    var configuration = Home.configuration
    configuration.omitsBasicEncoding = isUnencoded
    var given = SignInSecrets()
    given.credentials.secret = try secret("a%b")
    _ = try home.prepare(configuration, given)
    #expect(home.http.requests.last?.authorization == "Basic " + Base64.encode(Array(credentials.utf8)))
  }

  @Test func `settings are written and read again, and left out when they say nothing`() throws {
    var configuration = Home.configuration
    configuration.tokenEndpointAuthMethod = .privateKeyJWT
    configuration.omitsBasicEncoding = true
    configuration.usesClientCertificate = true
    configuration.clientKeyAlgorithm = .PS256
    configuration.clientKeyID = "k"
    configuration.assertionAudience = "token_endpoint"
    let names = [
      "token_endpoint_auth_method", "basic_unencoded", "client_certificate", "client_key_algorithm", "client_key_id",
      "assertion_audience",
    ]
    /// Which of the settings are in the file.
    func written(_ home: Home) throws -> [String] {
      let text = try home.directory.readText("config/config.json")
      return names.filter { text.contains("\"\($0)\"") }
    }
    let home = try Home()
    try home.addSettings(configuration)
    #expect(try home.settings()[home.account] == configuration)
    #expect(try written(home) == names)
    for setting in AccountSetting.all where setting.canBeUnset { configuration.unset(setting) }
    let other = try Home()
    try other.addSettings(configuration)
    #expect(try other.settings()[other.account] == configuration)
    #expect(try written(other) == [])
  }
}
