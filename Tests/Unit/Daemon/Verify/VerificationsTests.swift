import Encoding
import Crypto
import OAuth
import Platform
import Sessions
import TestSupport
import Testing
import Vocabulary
import Wire
import WireSupport

@testable import Daemon

@Suite struct `A check of tokens` {
  private let home: DaemonHome
  private let parts: DaemonParts

  init() throws {
    home = try DaemonHome()
    try home.add("work")
    parts = try DaemonParts(home.context)
  }

  /// RFC 7517 appendix A.1, without its use.
  private static let keys = """
    {"keys":[{"kty":"EC","crv":"P-256","kid":"1","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",\
    "y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}]}
    """

  /// RFC 7515 appendix A.1 and A.3: the claims of both tokens, which are valid for 10 s more at the test's time.
  private static let claims =
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
  private static let signed =
    "eyJhbGciOiJFUzI1NiJ9.\(claims).DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
  private static let signedAt = 1_300_819_370
  private static let signer = """
    {"keys":[{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",\
    "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}
    """

  private static func file(_ text: String) throws -> SharedDescriptor {
    SharedDescriptor(try FileDescriptor.inMemory(Array(text.utf8).span))
  }

  /// A directory, which has no bytes to read.
  private static func unreadable() throws -> SharedDescriptor {
    SharedDescriptor(try FileDescriptor(opening: "/", for: .reading))
  }

  /// A pipe for results that are never read.
  private static func results() throws -> SharedDescriptor { try copy(Pipe().writing) }

  private static func copy(_ end: borrowing FileDescriptor) throws -> SharedDescriptor {
    SharedDescriptor(try end.duplicate())
  }

  /// Begins a check with passed keys, unless `edit` changes that.
  private func begin(
    _ passed: [SharedDescriptor], number: Int = 1, hasDeadline: Bool = false,
    _ edit: (inout VerifyRequest) -> Void = { _ in }
  ) throws {
    var request = VerifyRequest()
    request.passesKeySet = true
    edit(&request)
    try parts.verifications.verify(request, .number(number), hasDeadline: hasDeadline, passed: passed)
  }

  /// Checks a line, by default one that is not a token. Returns the output.
  private func check(
    _ number: Int, keys: String? = nil, token: String = "no token", hasDeadline: Bool = false,
    _ edit: (inout VerifyRequest) -> Void = { _ in }
  ) throws -> String {
    let results = try Pipe()
    let passed = try [keys.map(Self.file), Self.file("\(token)\n"), Self.copy(results.writing)].compactMap { $0 }
    try begin(passed, number: number, hasDeadline: hasDeadline) {
      $0.passesKeySet = keys != nil
      edit(&$0)
    }
    home.runJobs()
    var bytes: [UInt8] = []
    if try results.reading.waitUntilReadable(timeout: .zero) {
      _ = try results.reading.read(into: &bytes, upTo: 4096)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `with keys that are handed over asks no server`() throws {
    #expect(try check(1, keys: Self.keys).contains(#""valid":false"#))
    #expect(home.sink.results[1] != nil)
    #expect(home.http.roles.isEmpty)
  }

  @Test func `takes the keys from one place`() throws {
    #expect(throws: Failure.self) { _ = try check(1, keys: Self.keys) { $0.account = "work" } }
    #expect(throws: Failure.self) {
      _ = try check(2) {
        $0.issuer = "https://other.example"; $0.account = "work"
      }
    }
    #expect(throws: Failure.self) {
      _ = try check(3) {
        ($0.issuer, $0.account) = ("https://as.example", "work")
        $0.settings.allowHTTPLoopback = true
      }
    }
    #expect(home.http.roles.isEmpty)
  }

  @Test func `takes keys or an account, not both`() throws {
    let passed = try (0..<3).map { _ in try Self.unreadable() }
    let failure = #expect(throws: Failure.self) {
      try begin(passed) { ($0.passesKeySet, $0.account) = (true, "work") }
    }
    #expect(failure?.message == "use either your own keys or those of an account's issuer")
  }

  @Test func `may name the issuer of its account, and no other`() throws {
    _ = try check(1) { ($0.issuer, $0.account) = ("https://as.example", "work") }
    #expect(home.http.roles.first == .metadata)
    let failure = #expect(throws: Failure.self) {
      _ = try check(2) { ($0.issuer, $0.account) = ("https://other.example", "work") }
    }
    #expect(failure?.message == "the account work belongs to another issuer")
  }

  @Test func `tells how many of the keys cannot be used, where there are such`() throws {
    _ = try check(1, keys: Self.keys)
    #expect(home.sink.events[1] == nil)
    _ = try check(2, keys: String(Self.keys.dropLast(2)) + #",{"kty":"other"},{"kty":"EC","crv":"none"}]}"#)
    #expect(
      home.sink.events[2]?.compactMap { if case .notice(let text) = $0 { text.english } else { nil } }
        == ["ignored 2 unusable keys in the set"])
    #expect(home.sink.results[2] != nil)
  }

  @Test(arguments: [
    (#"{"keys":[{"kty":"oct","k":"AAAA"}]}"#, "ignored a symmetric key in the key set"),
    (
      #"{"keys":[{"kty":"EC","crv":"P-256","d":"AAAA","x":"AAAA","y":"AAAA"}]}"#,
      "ignored a private key in the key set: tokens are verified with public keys"
    ),
  ]) func `tells of keys that do not belong into a set of public ones`(keys: String, notice: String) throws {
    _ = try check(1, keys: keys)
    #expect(
      home.sink.events[1]?.compactMap { if case .notice(let text) = $0 { text.english } else { nil } } == [notice])
    #expect(home.sink.results[1] == nil)
  }

  @Test(arguments: [#"{"keys":[]}"#, #"{"keys":[{"kty":"other"}]}"#])
  func `is refused where none of its keys can be used`(keys: String) throws {
    _ = try check(1, keys: keys)
    #expect(home.sink.failures[1]?.message == "the key set contains no usable key")
    #expect(home.sink.results[1] == nil)
  }

  // RFC 7519 section 4.1.
  @Test func `of the signature alone has no audience and no times`() throws {
    #expect(throws: Failure.self) {
      _ = try check(1, keys: Self.keys) { ($0.signatureOnly, $0.audiences) = (true, ["api"]) }
    }
    #expect(throws: Failure.self) { _ = try check(2, keys: Self.keys) { ($0.signatureOnly, $0.clockSkew) = (true, 5) } }
    _ = try check(3, keys: Self.keys) { $0.signatureOnly = true }
    _ = try check(4, keys: Self.keys) { ($0.audiences, $0.clockSkew) = (["api"], 5) }
    #expect(home.sink.results[3] != nil && home.sink.results[4] != nil)
  }

  @Test func `whose keys are long in coming ends with its sender`() throws {
    let keys = try Pipe()
    try begin([Self.copy(keys.reading), Self.file(""), Self.results()])
    try keys.writing.writeAll(Array("{".utf8).span)
    try home.wait { try !keys.reading.waitUntilReadable(timeout: .zero) }
    parts.verifications.endVerifications(of: .number(1))
    home.runJobs()
    #expect(home.sink.results.isEmpty && home.sink.failures.isEmpty)
  }

  @Test func `has the time that its sender gave it, and else as much as its tokens take`() throws {
    _ = try check(1, keys: Self.keys, hasDeadline: true)
    _ = try check(2, keys: Self.keys)
    #expect(home.sink.deadlines[1] == nil)
    let deadline = try #require(home.sink.deadlines[2])
    #expect(deadline > home.time.now().advanced(by: .seconds(24 * 3600)))
  }

  // RFC 8725 section 2.1: a key set has no key of an HMAC.
  @Test func `has algorithms of key pairs`() throws {
    for (algorithm, isOfKeyPair) in [("ES256", true), ("HS256", false)] {
      let passed = [try Self.file(Self.keys), try Self.file(""), try Self.results()]
      let taken: Void? = try? begin(passed) { ($0.passesKeySet, $0.algorithms) = (true, [algorithm]) }
      #expect((taken != nil) == isOfKeyPair, "\(algorithm)")
      home.runJobs()
    }
  }

  @Test(arguments: [(1, 1), (2, 2), (4, 4), (5, 4), (64, 4)])
  func `leaves processors to other work`(processors: Int, threads: Int) {
    #expect(TokenCheck.threadCount(processors: processors) == threads)
  }

  @Test func `ends where the tokens cannot be read`() throws {
    try begin([Self.file(Self.keys), Self.unreadable(), Self.results()])
    home.runJobs()
    #expect(home.sink.failures[1]?.message.hasPrefix("cannot read the tokens: ") == true)
  }

  @Test func `ends where the keys cannot be read`() throws {
    try begin([Self.unreadable(), Self.file(""), Self.results()])
    home.runJobs()
    #expect(home.sink.failures[1]?.message.hasPrefix("cannot read the key set: ") == true)
  }

  @Test func `ends where nobody reads its results`() throws {
    Signals.ignoreFailingWrites()
    let results = try Pipe()
    try results.reading.close()
    try results.writing.awaitClosingOfOtherEnd()
    try begin([Self.file(Self.keys), Self.file("no token\n"), Self.copy(results.writing)])
    home.runJobs()
    #expect(home.sink.failures[1]?.words == Failure(.cancelled, "the results are not being read").words)
    #expect(home.sink.results.isEmpty)
  }

  @Test func `tells of each token once, as it comes`() throws {
    let tokens = try Pipe()
    let results = try Pipe()
    try begin([Self.file(Self.keys), Self.copy(tokens.reading), Self.copy(results.writing)])
    for line in ["first", "{}"] {
      try tokens.writing.writeAll(Array("\(line)\n".utf8).span)
      try home.wait { try results.reading.waitUntilReadable(timeout: .zero) }
      var bytes: [UInt8] = []
      _ = try results.reading.read(into: &bytes, upTo: 4096)
      #expect(bytes.count { $0 == UInt8(ascii: "\n") } == 1)
    }
    try tokens.writing.close()
    home.runJobs()
    #expect(home.sink.results[1]?["tokens"] == 2 && home.sink.results[1]?["not_valid"] == 2)
  }

  @Test func `is one of 16, until one has ended`() throws {
    // Keys that never arrive.
    let keys = try Pipe()
    let passed = try [Self.copy(keys.reading), Self.file(""), Self.results()]
    for number in 1...16 { try begin(passed, number: number) }
    let failure = #expect(throws: Failure.self) { try begin(passed, number: 17) }
    #expect(failure?.code == .tooBusy && failure?.message == "16 token checks are already in progress")
    parts.verifications.endVerifications(of: .number(1))
    try begin(passed, number: 18)
    parts.verifications.endVerifications()
    home.runJobs()
  }

  // The name is not verified, so it only explains why the keys do not fit.
  @Test func `of another issuer than the named one says so, and which account has it`() throws {
    home.time.setWall(seconds: Self.signedAt)
    for (number, issuer) in ["https://as.example", "joe"].enumerated() {
      let line = try check(number, keys: Self.keys, token: Self.signed) { $0.issuer = issuer }
      let told = try JSON(parsing: Array(line.utf8))
      #expect(told["code"]?.string == (issuer == "joe" ? "bad_signature" : "wrong_issuer"), "\(line)")
    }
    var rules = TokenRules()
    rules.issuer = "https://as.example"
    let keys = VerificationKeys(try JWKSet(parsing: Array(Self.keys.utf8)))
    var verifier = TokenVerifier(rules: rules, keys: keys, time: home.time, isBrief: true)
    verifier.knownIssuers = [("https://as.example", "work"), ("joe", "other")]
    var lines = LineBlocks(limit: 4096)
    let block = try #require(try lines.next(from: Self.file("\(Self.signed)\n").descriptor))
    let told = String(decoding: verifier.verifyLines(block.lines[...], of: block.bytes).bytes, as: UTF8.self)
    #expect(told.contains("that of the account other: use --account other"), "\(told)")
  }

  // RFC 7519 section 4.1: unchecked claims may have any value.
  @Test func `tells what a token says, and which claims nothing was compared with`() throws {
    home.time.setWall(seconds: Self.signedAt)
    let expected: [((inout VerifyRequest) -> Void, JSON)] = [
      ({ _ in }, ["iss", "aud"]), ({ $0.issuer = "joe" }, ["aud"]),
      ({ $0.signatureOnly = true }, ["iss", "aud", "exp", "nbf", "iat"]),
    ]
    for (number, (edit, unchecked)) in expected.enumerated() {
      let line = try check(number, keys: Self.signer, token: Self.signed, edit)
      let told = try JSON(parsing: Array(line.utf8))
      #expect(told["valid"] == true && told["not_checked"] == unchecked, "\(line)")
      #expect(told["header"] == ["alg": "ES256"])
      // The signed content need not be claims.
      let payload = unchecked.array?.contains("exp") == true ? Self.signed.split(separator: ".")[1] : nil
      #expect(told["payload"]?.string == payload.map(String.init))
      let claims: JSON = ["iss": "joe", "exp": .int(Self.signedAt + 10), "http://example.com/is_root": true]
      #expect(told["claims"] == (payload == nil ? claims : nil))
    }
  }

  @Test(arguments: [false, true])
  func `of which little is to be told has a few members of the header and a few claims, those that there are`(
    isBrief: Bool
  ) throws {
    home.time.setWall(seconds: Self.signedAt)
    let line = try check(1, keys: Self.signer, token: Self.signed) { $0.brief = isBrief }
    let told = try JSON(parsing: Array(line.utf8))
    let end = JSON.int(Self.signedAt + 10)
    #expect(told["header"] == ["alg": "ES256"])
    #expect(
      told["claims"]
        == (isBrief ? ["iss": "joe", "exp": end] : ["iss": "joe", "exp": end, "http://example.com/is_root": true]))
  }

  // OpenID Connect Core 1.0 section 10.1.1: an unknown key may be a new one.
  @Test func `leaves open what newer keys could decide which cannot be had, and counts that`() throws {
    var metadata = PlayedServer.metadata
    metadata["jwks_uri"] = "https://as.example/keys"
    metadata["id_token_signing_alg_values_supported"] = ["ES256"]
    for name in ["openid-configuration", "oauth-authorization-server"] {
      home.http.documents["https://as.example/.well-known/\(name)"] = metadata
    }
    home.http.documents["https://as.example/keys"] = try JSON(parsing: Array(Self.keys.utf8)).object
    let parts = [#"{"alg":"ES256","kid":"2"}"#, "{}"].map { Base64URL.encode(Array($0.utf8)) }
    let token = parts.joined(separator: ".") + "." + String(repeating: "A", count: 86)
    #expect(try check(1) { $0.account = "work" }.contains(#""valid":false"#))
    #expect(home.sink.results[1]?["undecided"] == 0)
    home.http.documents["https://as.example/keys"] = ["keys": "none"]
    home.time.advance(seconds: 600)
    #expect(try check(2, token: token) { $0.account = "work" }.contains(#""keys_unavailable""#))
    #expect(home.sink.results[2]?["not_valid"] == 1 && home.sink.results[2]?["undecided"] == 1)
  }

  @Test func `with a profile has no other type, and no exp waived that the profile has`() throws {
    for (number, profile) in TokenProfile.allCases.enumerated() {
      let typed = #expect(throws: Failure.self) {
        _ = try check(number, keys: Self.keys) { ($0.profile, $0.type) = (profile, "JWT") }
      }
      #expect(typed?.message == "a profile sets its own type")
      let waived: String? = try? check(number, keys: Self.keys) {
        ($0.profile, $0.allowsMissingExpiry) = (profile, true)
      }
      #expect((waived != nil) == (profile == .logoutToken))
    }
    #expect(try check(9, keys: Self.keys) { ($0.type, $0.allowsMissingExpiry) = ("JWT", true) } != "")
  }

  @Test func `asks no issuer that cannot be asked as the request says`() throws {
    let plain = #expect(throws: Failure.self) { _ = try check(1) { $0.issuer = "http://other.example" } }
    #expect(plain?.code == .invalidRequest)
    let relative = #expect(throws: Failure.self) {
      _ = try check(2) { ($0.issuer, $0.settings.caFile) = ("https://other.example", "ca.pem") }
    }
    #expect(relative?.code == .invalidRequest && relative?.message.hasSuffix(" must be an absolute path") == true)
    #expect(home.http.roles.isEmpty)
  }

  @Test func `needs all of its descriptors`() throws {
    let passed = try [Self.unreadable(), Self.unreadable()]
    #expect(throws: Failure.self) { try begin(passed) }
  }
}
