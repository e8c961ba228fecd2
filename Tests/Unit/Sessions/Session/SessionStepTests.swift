import Encoding
import Crypto
import OAuth
import Sessions
import TestSupport
import Testing
import Vocabulary

@Suite struct `An operation that is observed` {
  private let home: Home
  private let told = ToldSteps()

  init() throws { home = try Home() }

  private var services: SessionServices { home.services.observed { [told] in told.add($0) } }

  private func line(_ role: EndpointRole) -> RequestLine {
    switch role {
    case .token: RequestLine(role, "POST", url: TestIssuer.tokenURL)
    case .keys: RequestLine(role, "GET", url: TestIssuer.keysURL)
    default: RequestLine(role, "GET", url: TestIssuer.metadataURL)
    }
  }

  @Test func `tells each step of a refresh, in order, with the times that they take`() throws {
    try home.store()
    let (time, idToken) = (home.time, try TestIssuer.first.idToken())
    home.http.answer(TestIssuer.tokenURL) { _ in
      time.advance(seconds: 2)
      return try tokens("at-2", refresh: "rt-2", idToken: idToken)
    }
    _ = try home.refresh(Home.configuration, services)
    #expect(
      told.steps == [
        .step(.recordRead), .step(.answered(line(.metadata), status: 200, milliseconds: 0)),
        .step(.answered(line(.token), status: 200, milliseconds: 2000)), .step(.recordWritten),
        .step(.answered(line(.keys), status: 200, milliseconds: 0)), .step(.idTokenVerified(.ES256)),
        // It is the first one.
        .step(.recordWritten),
      ])
  }

  @Test func `writes once for an ID Token that says nothing new, and twice for one that does`() throws {
    try home.store()
    for (role, writes) in [("admin", 2), ("admin", 1), ("guest", 2)] {
      let before = told.steps.count
      let idToken = try TestIssuer.first.idToken("role", .string(role))
      home.time.advance(seconds: 60)
      home.http.answer(TestIssuer.tokenURL, try tokens("at-\(before)", refresh: "rt-\(before)", idToken: idToken))
      let grant = try home.refresh(Home.configuration, services)
      #expect(told.steps.dropFirst(before).filter { $0 == .step(.recordWritten) }.count == writes, "\(role)")
      #expect(grant.idToken?.text == idToken)
      #expect(try services.verifiedClaims(of: home.account, Home.configuration)?["role"] == .string(role))
    }
  }

  @Test func `tells how old a document is that it did not ask for again`() throws {
    try home.store()
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2"))
    _ = try home.refresh()
    home.time.advance(seconds: 60)
    home.http.answer(TestIssuer.tokenURL, try tokens("at-3"))
    _ = try home.refresh(Home.configuration, services)
    #expect(told.steps[1] == .step(.cachedDocumentUsed(.metadata, ageSeconds: 60)))
  }

  @Test func `tells of a server that did not answer, and that the keys are asked for again`() throws {
    try home.store()
    home.http.fail(TestIssuer.tokenURL, HTTPFailure(.timeout))
    #expect(throws: SessionError.self) { try home.refresh(Home.configuration, services) }
    #expect(told.steps.last == .unanswered(line(.token), HTTPFailure(.timeout), milliseconds: 0))
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2", idToken: try TestIssuer.second.idToken()))
    #expect(throws: SessionError.self) { try home.refresh(Home.configuration, services) }
    #expect(
      told.steps.suffix(4) == [
        .step(.cachedKeysRejected), .step(.answered(line(.keys), status: 200, milliseconds: 0)),
        .step(.cachedMetadataRejected), .step(.answered(line(.metadata), status: 200, milliseconds: 0)),
      ])
  }

  // RFC 7517 section 9.2.
  @Test func `tells of a key set that holds what must not be published, once for each time that it is fetched`() throws
  {
    try home.store()
    var keys = TestIssuer.first.keySet
    let published = try #require(keys["keys"]?.array?.first?.object)
    var leaked = published
    leaked["d"] = .string(String(repeating: "A", count: 43))
    leaked["kid"] = "leaked"
    var weak = published
    (weak["kid"], weak["x"]) = ("weak", "AA")
    keys = ["keys": .array([.object(published), .object(leaked), .object(leaked), .object(weak)])]
    home.http.answer(TestIssuer.keysURL, try response(200, keys))
    for number in 1...2 {
      home.http.answer(TestIssuer.tokenURL, try tokens("at-\(number)", idToken: try TestIssuer.first.idToken()))
      _ = try home.refresh(Home.configuration, services)
    }
    #expect(told.steps.count { $0 == .keySetWarned(.privateKey) } == 1)
    #expect(!told.steps.contains(.keySetWarned(.symmetricKey)))
    #expect(told.steps.count { $0 == .keysUnusable } == 1)
  }

  @Test func `is told by nobody else`() throws {
    try home.store()
    _ = services
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2"))
    _ = try home.refresh()
    #expect(told.steps == [])
  }

  @Test(
    arguments: JWSAlgorithm.allCases.map { IDTokenAlgorithm.signature($0) } + MACAlgorithm.allCases.map { .secret($0) })
  func `names each algorithm of an ID Token`(algorithm: IDTokenAlgorithm) {
    #expect(SigningAlgorithm(rawValue: algorithm.name) != nil)
  }

  // A setting with another algorithm would restrict nothing.
  @Test func `names no algorithm that cannot be verified`() {
    let (asymmetric, all) = (SigningAlgorithm.asymmetric, SigningAlgorithm.allCases)
    #expect(asymmetric.map(\.rawValue) == JWSAlgorithm.allCases.map(\.rawValue))
    #expect(all.filter(\.isSymmetric).map(\.rawValue) == MACAlgorithm.allCases.map(\.rawValue))
  }
}
