import Crypto
import Encoding
import OAuth
import Platform
import Sessions
import Testing
import Vault
import Vocabulary

/// Responds to resource requests in sequence, and records them.
private final class Resources: HTTPClient {
  private struct State {
    var answers: [ResourceAnswer]
    var fields: [[String: String]] = []
  }

  private let others: ScriptedHTTP
  private let state: Monitor<State>

  init(_ answers: [ResourceAnswer], besides others: ScriptedHTTP) {
    self.others = others
    state = Monitor(State(answers: answers))
  }

  var fields: [[String: String]] { state.withLock { $0.fields } }

  func proofs() throws -> [JSONObject] { try fields.map { try ReadProof($0["DPoP"]).claims } }

  func send(_ request: borrowing HTTPRequest) throws(HTTPFailure) -> HTTPResponse { try others.send(request) }

  func exchange(
    _ request: ResourceRequest, authorization: [SecretField], content: (any ResourceContent)?,
    receiver: any ResourceReceiver
  ) throws(HTTPFailure) -> ResourceResponse {
    let fields = Dictionary(uniqueKeysWithValues: authorization.map { ($0.name, $0.value.text) })
    let answer = state.withLock { state -> ResourceAnswer? in
      state.fields.append(fields)
      return state.answers.isEmpty ? nil : state.answers.removeFirst()
    }
    guard let answer else { throw HTTPFailure(.connect) }
    return try answer.send(to: receiver)
  }
}

// RFC 9449 sections 7 and 9.
@Suite struct `A call of a resource with a bound token` {
  let home: Home
  private static let place = "https://api.example"
  private let key: DPoPKey

  init() throws {
    home = try Home()
    key = try DPoPKey.generate()
  }

  private var configuration: AccountConfiguration {
    var configuration = Home.configuration
    configuration.origins = [Self.place]
    return configuration
  }

  private func call(
    _ answers: ResourceAnswer..., method: String = "GET", content: UnreadContent? = nil, mayRefresh: Bool = true
  ) throws -> (outcome: ResourceCall.Outcome, resources: Resources) {
    try home.store(configuration) { $0.dpopKey = try key.serialized() }
    let resources = Resources(answers, besides: home.http)
    let services = SessionServices(
      vault: home.services.vault, http: resources, time: home.time, documents: home.services.documents,
      settingsDirectory: home.settingsDirectory)
    let grant = AccessGrant(
      accessToken: try secret("at-1"), tokenType: "DPoP", scope: nil, subject: nil, issuedAt: at(0),
      issuedAtUnixSeconds: 0, lifetimeSeconds: 300, recordGeneration: 1, dpopKey: key)
    let outcome = try SessionRequests(
      account: home.account, configuration: configuration, grant: grant, services: services
    ).call(
      ResourceCall.Target(
        method: try #require(ResourceMethod(method)),
        endpoint: try Endpoint(Self.place + "/x?q=1", allowHTTPLoopback: false), fields: []),
      content: content, receiver: KeptAnswer(), mayRefresh: mayRefresh, stallSeconds: 5)
    return (outcome, resources)
  }

  private func status(_ outcome: ResourceCall.Outcome) -> Int? {
    if case .answered(let response, _) = outcome { response.head.status } else { nil }
  }

  private func challenge(_ error: String, nonce: String? = nil, date: String? = nil) -> ResourceAnswer {
    ResourceAnswer(
      status: 401,
      headers: [("WWW-Authenticate", #"DPoP error="\#(error)", algs="ES256""#)]
        + (nonce.map { [("DPoP-Nonce", $0)] } ?? []) + (date.map { [("Date", $0)] } ?? []))
  }

  @Test(arguments: ["GET", "PATCH", "custom"]) func `carries the token and a proof for this very request`(
    method: String
  ) throws {
    let (outcome, resources) = try call(ResourceAnswer(), method: method)
    #expect(status(outcome) == 200)
    #expect(resources.fields.map { $0["Authorization"] } == ["DPoP at-1"])
    let proof = try ReadProof(resources.fields.first?["DPoP"])
    #expect(proof.thumbprint == key.thumbprint)
    #expect(proof.claims["htm"] == .string(method) && proof.claims["htu"] == "https://api.example/x")
    #expect(proof.claims["ath"] == .string(try DPoPProof.hash(of: secret("at-1"))))
  }

  @Test func `is made again with the nonce that the resource asks for, and remembers it`() throws {
    let (outcome, resources) = try call(challenge("use_dpop_nonce", nonce: "n1"), ResourceAnswer())
    #expect(status(outcome) == 200)
    #expect(try resources.proofs().map { $0["nonce"] } == [nil, "n1"])
    #expect(Set(try resources.proofs().compactMap { $0["jti"]?.string }).count == 2)
  }

  @Test func `ends when the resource is never content, and the token stays good`() throws {
    let (outcome, resources) = try call(
      challenge("use_dpop_nonce", nonce: "n1"), challenge("use_dpop_nonce", nonce: "n2"))
    #expect(status(outcome) == 401)
    #expect(resources.fields.count == 2)
  }

  @Test func `makes up for a wrong clock`() throws {
    // Ten minutes after the start of all tests.
    let late = "Tue, 14 Nov 2023 22:23:20 GMT"
    let (outcome, resources) = try call(challenge("invalid_dpop_proof", date: late), ResourceAnswer())
    #expect(status(outcome) == 200)
    #expect(try resources.proofs().map { $0["iat"]?.int } == [TestIssuer.now, TestIssuer.now + 600])
  }

  @Test func `has a new proof after each redirect`() throws {
    let (outcome, resources) = try call(
      ResourceAnswer(status: 302, headers: [("Location", "/y")]), ResourceAnswer())
    #expect(status(outcome) == 200)
    #expect(try resources.proofs().map { $0["htu"] } == ["https://api.example/x", "https://api.example/y"])
  }

  @Test func `whose token is refused asks for another token`() throws {
    let (outcome, resources) = try call(challenge("invalid_token", nonce: "n1"))
    guard case .refused = outcome else {
      Issue.record("it was answered")
      return
    }
    #expect(resources.fields.count == 1)
  }

  // RFC 9449 section 7.2.
  @Test func `is sent by no other scheme, whatever the resource challenges with`() throws {
    let bearer = ResourceAnswer(status: 401, headers: [("WWW-Authenticate", #"Bearer realm="x""#)])
    let (outcome, resources) = try call(bearer, bearer, mayRefresh: false)
    #expect(status(outcome) == 401)
    #expect(resources.fields.map { $0["Authorization"] } == ["DPoP at-1"])
  }

  // RFC 9449 section 9: the proof is about the request, not about the token.
  @Test func `whose proof is refused asks for no other token`() throws {
    let (outcome, _) = try call(challenge("use_dpop_nonce"))
    #expect(status(outcome) == 401)
    guard case .answered(_, let verdict) = outcome else { return }
    #expect(verdict == .proofRefused)
  }
}
