import Encoding
import Crypto
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `agent verify with keys at hand` {
  /// Runs `agent verify` on tokens, and returns its output.
  private static func verify(
    _ tokens: [String], _ options: [String] = [], keys: String? = nil, by key: SignedTokens
  ) throws -> ProcessResult {
    try AgentTree.with { tree in
      try tree.directory.write("jwks", try keys ?? key.keySet())
      let result = try tree.agent(
        ["verify", "--jwks", tree.path("jwks")] + options, input: tokens.joined(separator: "\n"))
      #expect(try tree.daemons() == [])
      return result
    }
  }

  private static func codes(_ result: ProcessResult) throws -> [String] {
    try result.lines.map { line in
      let verdict = try JSON(parsing: Array(line.utf8))
      return verdict["valid"]?.bool == true ? "valid" : verdict["code"]?.string ?? "none"
    }
  }

  @Test(arguments: [JWSAlgorithm.RS256, .ES256, .Ed25519]) func `says what holds`(algorithm: JWSAlgorithm) throws {
    let key = try SignedTokens(algorithm)
    let result = try Self.verify([try key.token()], by: key)
    #expect(result.succeeded && result.errorText == "")
    #expect(
      result.outputText.hasPrefix(
        "valid: \(algorithm.rawValue), key k, issuer https://id.example.com, subject ann, expires in "))
    let json = try Self.verify([try key.token([("exp", nil)])], ["--json", "--allow-missing"], by: key)
    let verdict = try JSON(parsing: json.output)
    #expect(verdict["valid"] == true && verdict["claims"]?["sub"] == "ann")
    #expect(verdict["header"]?["alg"]?.string == algorithm.rawValue)
  }

  /// Invalid tokens, each with its code.
  private static func faults(_ key: SignedTokens) throws -> [(String, String)] {
    let now = SystemTime().wallSeconds()
    func header(_ json: String) -> String { "\(Base64URL.encode(Array(json.utf8))).e30.c2ln" }
    let token = try key.token()
    return [
      (String(repeating: "a", count: 70_000), "token_too_long"), ("abc", "not_compact"), ("{\"a\":1}", "not_compact"),
      (token + "=", "invalid_character"), ("e30=.e30.c2ln", "invalid_character"),
      (header(#"{"alg":"ES256"}"#) + "A", "invalid_base64url"),
      (String(token.prefix(while: { $0 != "." })) + ".e30.", "missing_signature"), (header("[]"), "invalid_header"),
      (header(#"{"alg":"ES256","alg":"ES256"}"#), "invalid_header"), (header("{}"), "missing_algorithm"),
      (header(#"{"alg":"HS256"}"#), "unsupported_algorithm"), (header(#"{"alg":"es256"}"#), "unsupported_algorithm"),
      (header(#"{"alg":"none"}"#), "unsecured_token"), (header(#"{"alg":"ES256","crit":["x"]}"#), "critical_header"),
      (header(#"{"alg":"ES256","b64":false}"#), "critical_header"), ("a.b.c.d.e", "encrypted_token"),
      (header(#"{"alg":"ES256","enc":"x"}"#), "bad_signature"),
      (header(#"{"alg":"ES256","jwk":{"kty":"oct","k":"AA"}}"#), "embedded_private_key"),
      (header(#"{"alg":"ES256","cty":"JWT"}"#).replacing(".e30.", with: ".YS5iLmM."), "nested_token"),
      (try key.token(header: [("kid", "other")]), "unknown_key"),
      (try SignedTokens(.RS256).token(), "unsuitable_key"), (try SignedTokens().token(), "bad_signature"),
      (try key.token(payload: Array("[1]".utf8)), "invalid_claims"),
      (try key.token([("exp", "soon")]), "invalid_claim"), (try key.token([("exp", .int(now - 100))]), "token_expired"),
      (try key.token([("nbf", .int(now + 100))]), "not_yet_valid"),
      (try key.token([("iat", .int(now + 100))]), "issued_in_future"),
    ]
  }

  @Test func `says of each token that does not hold why`() throws {
    let key = try SignedTokens()
    let faults = try Self.faults(key)
    let good = try key.token()
    let result = try Self.verify(faults.map(\.0) + [good], ["--json"], by: key)
    #expect(result.status == .exited(7) && result.errorText == "")
    #expect(try Self.codes(result) == faults.map(\.1) + ["valid"])
    for (token, _) in faults where token.count > 40 { #expect(!result.outputText.contains(token.suffix(20))) }
    let plain = try Self.verify(faults.map(\.0) + [good], by: key)
    #expect(plain.status == .exited(7) && plain.lines.count == faults.count + 1)
    for (line, fault) in zip(plain.lines, faults) { #expect(line.hasPrefix("not valid (\(fault.1)): "), "\(line)") }
  }

  @Test func `obeys its options`() throws {
    let key = try SignedTokens()
    for (options, code) in [
      ([], "valid"), (["--clock-skew", "0"], "token_expired"), (["--clock-skew", "5m"], "valid"),
      (["--audience", "my-cli"], "valid"), (["--audience", "other"], "wrong_audience"),
      (["--algorithms", "RS256,ES256"], "valid"), (["--algorithms", "ES384"], "algorithm_not_allowed"),
      (["--algorithms", "ES384", "--algorithms", "ES256"], "valid"), (["--type", "AT+JWT"], "valid"),
      (["--type", "application/at+jwt"], "valid"), (["--type", "JWT"], "wrong_type"), (["--signature-only"], "valid"),
      (["--issuer", "https://id.example.com"], "valid"), (["--issuer", "https://id.example.com/"], "wrong_issuer"),
    ] {
      let expiry = JSON.int(SystemTime().wallSeconds() - 30)
      let token = try key.token([("exp", expiry)], header: [("typ", "at+jwt")])
      let result = try Self.verify([token], options + ["--json"], by: key)
      #expect(try Self.codes(result) == [code], "\(options)")
      #expect(result.status == .exited(code == "valid" ? 0 : 7))
    }
  }

  @Test func `shows what a signature alone is about`() throws {
    let key = try SignedTokens()
    let result = try Self.verify(
      [try key.token(payload: Array("hello".utf8))], ["--signature-only", "--json"], by: key)
    #expect(try JSON(parsing: result.output)["payload"] == "aGVsbG8")
    let plain = try Self.verify([try key.token(payload: [])], ["--signature-only"], by: key)
    #expect(plain.outputText == "valid: ES256, key k, nothing but the signature was checked\n")
  }

  @Test(arguments: [
    (["--algorithms", "none"], "\"none\" is not a supported signature algorithm"),
    (["--algorithms", "HS256"], "\"HS256\" is not"),
    (["--algorithms", "rs256"], "\"rs256\" is not"), (["--algorithms", "RS256,"], "\"\" is not"),
    (["--clock-skew", "301s"], "from 0s to 5m"), (["--signature-only", "--issuer", "x"], "--issuer cannot be used"),
    (["--account", "work"], "--account cannot be used"),
    (["--signature-only", "--audience", "x"], "--audience cannot"),
    (["--signature-only", "--clock-skew", "1"], "--clock-skew cannot"),
  ])
  func `refuses what cannot be`(options: [String], message: String) throws {
    let key = try SignedTokens()
    let result = try Self.verify([try key.token()], options, by: key)
    #expect(result.failed(2) && result.errorText.contains(message), "\(result.errorText)")
  }

  @Test func `wants keys that can be used`() throws {
    let key = try SignedTokens()
    for (keys, message) in [
      ("{}", "it is neither a JSON object"), ("[]", "it is neither"),
      (#"{"keys":[]}"#, "contains no usable key"),
      (#"{"keys":[{"kty":"oct","k":"AAAA"}]}"#, "contains no usable key"), ("", "it is neither"),
      (String(repeating: " ", count: 1_100_000), "longer than"),
    ] {
      let result = try Self.verify([try key.token()], keys: keys, by: key)
      #expect(result.failed(1) && result.errorText.contains(message), "\(result.errorText)")
    }
    let set = try JSON(parsing: Array(try key.keySet().utf8))
    let single = String(decoding: try #require(set["keys"]?.array?.first).serialized(), as: UTF8.self)
    #expect(try Self.verify([try key.token()], keys: single, by: key).succeeded)
  }

  @Test func `reads any number of tokens, and tells of each at once`() throws {
    let key = try SignedTokens(.Ed25519)
    let (good, bad) = (try key.token(), try SignedTokens(.Ed25519).token())
    try AgentTree.with { tree in
      try tree.directory.write("jwks", try key.keySet())
      let tokens = (0..<5000).map { $0 % 7 == 3 ? bad : good }
      try tree.directory.write("tokens", tokens.joined(separator: "\n"))
      let result = try tree.agent("verify", tree.path("tokens"), "--jwks", tree.path("jwks"), "--json")
      #expect(result.status == .exited(7))
      #expect(try Self.codes(result) == tokens.map { $0 == good ? "valid" : "bad_signature" })
      // Incrementally: the second token is written when the verdict on the first is there.
      let program = try tree.start(["verify", "--jwks", tree.path("jwks")])
      for _ in 1...3 {
        try program.send(good + "\n")
        #expect(try program.readLine().hasPrefix("valid: "))
      }
      program.closeInput()
      #expect(try program.wait() == .exited(0))
    }
  }

  @Test func `ends when its time is over, however long tokens may still come`() throws {
    let key = try SignedTokens()
    try AgentTree.with { tree in
      try tree.directory.write("jwks", try key.keySet())
      let program = try tree.start(["verify", "--jwks", tree.path("jwks"), "--timeout", "10"])
      try program.send(try key.token() + "\n")
      #expect(try program.readLine().hasPrefix("valid: "))
      #expect(try program.wait() == .exited(4))
      #expect(program.errorText.contains("time"), "\(program.errorText)")
    }
  }

  @Test func `needs neither a home nor anything else of the user's`() throws {
    let key = try SignedTokens()
    try AgentTree.with { tree in
      try tree.directory.write("jwks", try key.keySet())
      let result = try ProcessRunner.run(
        executable: Programs.path("agent"), arguments: ["verify", "--jwks", tree.path("jwks")], environment: [],
        input: Array(try key.token().utf8))
      #expect(result.succeeded, "\(result.errorText)")
    }
  }
}

@Suite(.needsPrograms) struct `agent verify with an issuer` {
  private static func idToken(_ session: Session) throws -> String {
    try session.tree.token("work", "--id-token")
  }

  /// A token in the issuer's name, signed with another key.
  private static func stranger(_ keyID: String, _ session: Session) throws -> String {
    try SignedTokens(keyID: keyID).token([("iss", .string(session.issuer.url))])
  }

  @Test func `takes the keys of the active account's issuer`() throws {
    try Session.with { session in
      let token = try Self.idToken(session)
      let result = try session.tree.agent(["verify", "--json", "--audience", "agent-cli"], input: token)
      #expect(result.succeeded && result.errorText == "", "\(result.errorText)")
      #expect(try JSON(parsing: result.output)["claims"]?["iss"]?.string == session.issuer.url)
      #expect(try session.issuer.count("jwks") == 1)
      let other = try session.tree.agent(["verify"], input: try Self.stranger("other", session))
      #expect(other.status == .exited(7) && other.outputText.hasPrefix("not valid (unknown_key): "))
      #expect(try session.issuer.count("jwks") == 2)
    }
  }

  @Test func `needs no account for an issuer that is named`() throws {
    try Session.with { session in
      let token = try Self.idToken(session)
      try AgentTree.with { tree in
        let options = ["verify", "--issuer", session.issuer.url]
        #expect(try tree.agent(options, input: token).failed(2))
        let result = try tree.agent(options + ["--allow-http-loopback"], input: token)
        #expect(result.succeeded, "\(result.errorText)")
        let privately = try tree.agent(options + ["--allow-http-loopback", "--no-daemon"], input: token)
        #expect(privately.succeeded, "\(privately.errorText)")
        #expect(try tree.agent(["verify"], input: token).failed(3))
      }
      #expect(try session.tree.agent(["verify", "--issuer", session.issuer.url], input: token).succeeded)
      let wrong = try session.tree.agent(
        ["verify", "--issuer", "https://id.example.com", "--account", "work"], input: token)
      #expect(wrong.failed(2))
    }
  }

  @Test func `is told in one way only how an issuer is reached`() throws {
    try Session.with { session in
      let token = try Self.idToken(session)
      let options = ["verify", "--issuer", session.issuer.url]
      let missing = try session.tree.agent(
        options + ["--allow-http-loopback", "--ca-file", "/nowhere.pem"], input: token)
      #expect(missing.failed(1) && missing.errorText.contains("/nowhere.pem"), "\(missing.errorText)")
      let both = try session.tree.agent(options + ["--account", "work", "--allow-http-loopback"], input: token)
      #expect(both.failed(2), "\(both.errorText)")
      let pin = "sha256//" + String(repeating: "A", count: 43) + "="
      let login = ["account", "add", "pinned", "--issuer", session.issuer.url, "--client-id", "agent-cli"]
      let added = try session.tree.agent(login + ["--allow-http-loopback", "--pin", pin])
      try #require(added.succeeded, "\(added.errorText)")
      let ambiguous = try session.tree.agent(options, input: token)
      #expect(
        ambiguous.failed(2)
          && ambiguous.errorText.contains("choose one: agent \(options.joined(separator: " ")) --account "),
        "\(ambiguous.errorText)")
      #expect(try session.tree.agent(options + ["--account", "work"], input: token).succeeded)
    }
  }

  @Test func `finds the key that an issuer has changed to, and asks it no more than once a minute`() throws {
    try Session.with { session in
      try session.issuer.control("rotate_key", "1")
      // The daemon learns the new key at the refresh; another one has only the earlier cache.
      let old = try Self.idToken(session)
      try AgentTree.with { tree in
        let options = ["verify", "--issuer", session.issuer.url, "--allow-http-loopback"]
        let before = try session.issuer.count("jwks")
        let gone = try tree.agent(options, input: old)
        #expect(gone.status == .exited(7), "\(gone.outputText)")
        #expect(try session.issuer.count("jwks") == before + 2)
        let many = Array(repeating: old, count: 200).joined(separator: "\n")
        #expect(try tree.agent(options, input: many).lines.count == 200)
        #expect(try session.issuer.count("jwks") == before + 2)
      }
      #expect(try session.tree.agent(["token", "--force-refresh"]).succeeded)
      #expect(try session.tree.agent(["verify"], input: try Self.idToken(session)).succeeded)
    }
  }

  @Test func `says that the issuer publishes a private key, as the log does`() throws {
    try Session.with { session in
      try session.issuer.control("break_jwks", "private")
      let stranger = try Self.stranger("newer", session)
      #expect(try session.tree.agent(["verify"], input: stranger).status == .exited(7))
      let warned = try session.tree.events().filter { $0["event"] == "key_set_warning" }
      #expect(warned.count == 1 && warned[0]["reason"] == "private_key" && warned[0]["account"] == "work")
      let again = try session.tree.agent(["verify"], input: stranger)
      #expect(again.errorText.contains("ignored a private key"), "\(again.errorText)")
    }
  }

  @Test func `works from the cache while the issuer is away, and does not call unknown what may be known`() throws {
    try Session.with { session in
      let token = try Self.idToken(session)
      #expect(try session.tree.agent(["verify"], input: token).succeeded)
      session.issuer.stop()
      #expect(try session.tree.agent(["verify"], input: token).succeeded)
      let strange = try Self.stranger("newer", session)
      for _ in 1...2 {
        let result = try session.tree.agent(["verify", "--json"], input: strange)
        #expect(result.status == .exited(4))
        #expect(try JSON(parsing: result.output)["code"] == "keys_unavailable")
      }
      let mixed = try session.tree.agent(["verify", "--json"], input: "\(strange)\nx\n\(token)\n")
      #expect(mixed.status == .exited(7) && mixed.lines.count == 3)
      try session.tree.stopDaemon()
      #expect(try session.tree.agent(["verify"], input: token).succeeded)
    }
  }

  @Test func `fails with the network's status when there are no keys at all`() throws {
    try AgentTree.with { tree in
      let options = ["verify", "--issuer", "http://127.0.0.1:1", "--allow-http-loopback", "--json"]
      let result = try tree.agent(options, input: "x")
      #expect(result.failed(4) && result.failureCode == "network")
    }
  }

  @Test func `leaves no token in the log, the cache or an error`() throws {
    try Session.with { session in
      let token = try SignedTokens(keyID: "canary-key").token([("sub", "canary-subject")])
      let results = [
        try session.tree.agent(["verify", "--verbose"], input: token),
        try session.tree.agent(["daemon", "log", "--json"]),
      ]
      #expect(results[0].status == .exited(7) && results[1].succeeded, "\(results[0].errorText)")
      for result in results { #expect(!result.errorText.contains("canary") && !result.outputText.contains("canary")) }
      #expect(try session.tree.files(containing: ["canary-subject", String(token.suffix(40))]) == [])
    }
  }
}
