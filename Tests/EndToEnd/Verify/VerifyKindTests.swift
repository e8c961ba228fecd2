import Crypto
import Encoding
import Platform
import TestSupport
import Testing

/// Runs `agent verify` on a token, without a daemon or a network.
private func verify(
  _ token: String, _ options: [String] = [], _ files: [(String, String)], json: Bool = true
) throws -> ProcessResult {
  try AgentTree.with { tree in
    for (name, content) in files { try tree.directory.write(name, content) }
    let paths = options.map { option in files.contains { $0.0 == option } ? tree.path(option) : option }
    return try tree.agent(["verify"] + paths + (json ? ["--json"] : []), input: token)
  }
}

private func code(_ result: ProcessResult) throws -> String {
  let verdict = try JSON(parsing: result.output)
  return verdict["valid"]?.bool == true ? "valid" : verdict["code"]?.string ?? "none"
}

@Suite(.needsPrograms) struct `agent verify of what a token must have` {
  private static func verify(
    _ key: SignedTokens, _ token: String, _ options: [String], json: Bool = true
  ) throws -> ProcessResult {
    try EndToEndTests.verify(token, ["--jwks", "jwks"] + options, [("jwks", key.keySet())], json: json)
  }

  @Test func `wants an end and what is required`() throws {
    let key = try SignedTokens()
    let (token, endless) = (try key.token(), try key.token([("exp", nil)]))
    for (token, options, code) in [
      (endless, [], "missing_claim"), (endless, ["--allow-missing"], "valid"),
      (token, ["--require", "sub,aud"], "valid"),
      (token, ["--require", "sub", "--require", "jti"], "missing_claim"),
      (endless, ["--require", "sub"], "missing_claim"), (endless, ["--require", "sub", "--allow-missing"], "valid"),
    ] {
      let result = try Self.verify(key, token, options)
      #expect(try EndToEndTests.code(result) == code, "\(options)")
      #expect(result.status == .exited(code == "valid" ? 0 : 7))
    }
    let missing = try Self.verify(key, token, ["--require", "sub,jti"], json: false)
    #expect(missing.outputText == "not valid (missing_claim): jti is missing\n")
  }

  @Test func `compares claims, and says which one differs without what the token has there`() throws {
    let key = try SignedTokens()
    let token = try key.token([
      ("repository", "o/secret-repository"), ("run", 42), ("protected", true), ("groups", ["dev", "ops"]),
    ])
    for (claims, differs) in [
      (["repository=o/secret-repository", "run=42", "protected=true", "groups=ops", "groups=dev"], nil),
      (["repository=o/r"], "repository"), (["run=43"], "run"), (["protected=false"], "protected"),
      (["groups=ops", "groups=qa"], "groups"), (["repository=o/secret-repository", "ref=main"], "ref"),
    ] {
      let options = claims.flatMap { ["--claim", $0] }
      let result = try Self.verify(key, token, options)
      let verdict = try JSON(parsing: result.output)
      #expect(verdict["valid"]?.bool == (differs == nil) && verdict["claim"]?.string == differs, "\(claims)")
      guard differs != nil else { continue }
      #expect(result.status == .exited(7) && !result.outputText.contains("secret"), "\(result.outputText)")
    }
    let plain = try Self.verify(key, token, ["--claim", "repository=o/r"], json: false)
    #expect(plain.outputText == "not valid (wrong_claim): repository is not o/r\n")
  }

  @Test func `says what it did not check, and takes any of several audiences`() throws {
    let key = try SignedTokens()
    let token = try key.token()
    let issuer = ["--issuer", "https://id.example.com"]
    let cases: [([String], JSON?)] = [
      ([], ["iss", "aud"]), (issuer, ["aud"]), (["--audience", "my-cli"], ["iss"]),
      (issuer + ["--audience", "x", "--audience", "my-cli"], nil),
      (["--signature-only"], ["iss", "aud", "exp", "nbf", "iat"]),
    ]
    for (options, unchecked) in cases {
      let result = try Self.verify(key, token, options)
      let verdict = try JSON(parsing: result.output)
      #expect(verdict["valid"] == true && verdict["not_checked"] == unchecked, "\(options)")
    }
    let plain = try Self.verify(key, token, [], json: false)
    #expect(plain.outputText.hasSuffix(", issuer and audience not checked\n"), "\(plain.outputText)")
    #expect(try Self.verify(key, token, issuer, json: false).outputText.hasSuffix(", audience not checked\n"))
    let other = try Self.verify(key, token, ["--audience", "x", "--audience", "y"], json: false)
    #expect(other.outputText == "not valid (wrong_audience): it is not for x or y (aud)\n")
  }

  @Test func `tells kinds of tokens apart`() throws {
    let key = try SignedTokens()
    let access = try key.token([("client_id", "cli"), ("jti", "1")], header: [("typ", "at+jwt")])
    let event: JSON = ["http://schemas.openid.net/event/backchannel-logout": [:]]
    let logout = try key.token(
      [("jti", "1"), ("sid", "s"), ("events", event)], header: [("typ", "logout+jwt")])
    let tokens = [("id-token", try key.token()), ("access-token", access), ("logout-token", logout)]
    for (profile, _) in tokens {
      for (kind, token) in tokens {
        let result = try Self.verify(key, token, ["--profile", profile, "--audience", "my-cli"])
        #expect(try EndToEndTests.code(result) == "valid" || kind != profile, "\(profile) \(kind)")
        #expect(result.status == .exited(kind == profile ? 0 : 7), "\(profile) \(kind)")
      }
    }
  }

  @Test(arguments: [
    (["--profile", "id-token", "--type", "JWT"], "--profile sets the type"),
    (["--profile", "other"], "must be one of: id-token, access-token, logout-token"),
    (["--profile", "id-token", "--allow-missing"], "tokens of that profile always have exp"),
    (["--signature-only", "--claim", "a=b"], "--claim cannot be used"),
    (["--signature-only", "--require", "a"], "--require cannot be used"),
    (["--signature-only", "--profile", "id-token"], "--profile cannot be used"),
    (["--claim", "name"], "must be NAME=VALUE"),
  ])
  func `refuses what cannot be`(options: [String], message: String) throws {
    let key = try SignedTokens()
    let result = try Self.verify(key, try key.token(), options)
    #expect(result.failed(2) && result.errorText.contains(message), "\(result.errorText)")
  }
}

@Suite(.needsPrograms) struct `agent verify with keys in other forms` {
  private static func token(_ secret: [UInt8]) throws -> String {
    let header = Base64URL.encode(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8))
    let text = "\(header).\(Base64URL.encode(JSON.object(SignedTokens.claims).serialized()))"
    return "\(text).\(Base64URL.encode(try HMAC.sha256(key: secret.span, Array(text.utf8).span)))"
  }

  /// A token with an HMAC whose secret is the published public key.
  @Test func `never takes a public key for the secret of an HMAC, or a secret for a key`() throws {
    let key = try SignedTokens()
    let pem = try key.publicPEM()
    for content in [pem, pem + "\n", try key.keySet(), try key.jwk()] {
      let result = try verify(try Self.token(Array(content.utf8)), ["--jwks", "key"], [("key", content)])
      #expect(result.status == .exited(7), "\(result.outputText)")
    }
    let secret = Array("0123456789abcdef0123456789abcdef".utf8)
    let web = #"{"kty":"oct","k":"\#(Base64URL.encode(secret))"}"#
    #expect(try verify(try Self.token(secret), ["--jwks", "key"], [("key", web)]).failed(1))
  }

  @Test(arguments: [JWSAlgorithm.ES256, .Ed25519]) func `takes public keys in PEM form`(
    algorithm: JWSAlgorithm
  ) throws {
    let key = try SignedTokens(algorithm)
    let pem = try key.publicPEM()
    #expect(try verify(try key.token(), ["--jwks", "key.pem"], [("key.pem", pem)]).succeeded)
    let other = try verify(try SignedTokens(algorithm).token(), ["--jwks", "key.pem"], [("key.pem", pem)])
    #expect(try code(other) == "bad_signature")
    let cut = try verify(try key.token(), ["--jwks", "key.pem"], [("key.pem", String(pem.prefix(40)))])
    #expect(cut.failed(1) && cut.errorText.contains("the PEM file is not valid"), "\(cut.errorText)")
  }
}

@Suite(.needsPrograms) struct `agent verify with what an issuer announces` {
  @Test func `takes an ID Token by an algorithm that is announced, and no other`() throws {
    try Session.with { session in
      let token = try session.tree.token("work", "--id-token")
      let options = ["verify", "--profile", "id-token", "--audience", "agent-cli", "--json"]
      let good = try session.tree.agent(options, input: token)
      #expect(good.succeeded, "\(good.outputText)")
      #expect(try JSON(parsing: good.output)["not_checked"] == nil)
      let url = session.issuer.url
      try session.issuer.control("break_metadata", "id_token_algorithms")
      // A daemon without cached metadata.
      try AgentTree.with { tree in
        for (options, expected) in [
          (["--profile", "id-token"], "algorithm_not_allowed"), ([], "algorithm_not_allowed"),
          (["--profile", "id-token", "--algorithms", "ES256"], "algorithm_not_allowed"),
          (["--algorithms", "ES256"], "valid"),
        ] {
          let result = try tree.agent(
            ["verify", "--issuer", url, "--allow-http-loopback", "--json"] + options, input: token)
          #expect(try code(result) == expected, "\(options)")
        }
      }
    }
  }
}
