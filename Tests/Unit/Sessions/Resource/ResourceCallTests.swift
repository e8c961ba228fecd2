import Crypto
import Encoding
import OAuth
import Platform
import Sessions
import Testing
import Vault
import Vocabulary

@Suite struct `A call of a resource` {
  let home: Home
  private static let api = "https://api.example"

  init() throws { home = try Home() }

  private var configuration: AccountConfiguration {
    var configuration = Home.configuration
    configuration.origins = [Self.api]
    return configuration
  }

  private func call(
    at url: String = api + "/x", method: String = "GET", _ answers: [String: ResourceAnswer],
    content: UnreadContent? = nil, mayRefresh: Bool = true, configuration: AccountConfiguration? = nil,
    to receiver: KeptAnswer = KeptAnswer()
  ) throws -> ResourceCall.Outcome {
    let services = SessionServices(
      vault: home.services.vault, http: ScriptedResources(answers, besides: home.http), time: home.time,
      documents: home.services.documents, settingsDirectory: home.settingsDirectory)
    return try SessionRequests(
      account: home.account, configuration: configuration ?? self.configuration, grant: grant("at-1"),
      services: services
    ).call(
      ResourceCall.Target(
        method: try #require(ResourceMethod(method)), endpoint: try Endpoint(url, allowHTTPLoopback: true), fields: []),
      content: content, receiver: receiver, mayRefresh: mayRefresh, stallSeconds: 5)
  }

  private func status(_ outcome: ResourceCall.Outcome) -> Int? {
    if case .answered(let response, _) = outcome { response.head.status } else { nil }
  }

  // RFC 6750 section 2.1.
  @Test func `carries the token in one header`() throws {
    try home.store(configuration)
    let receiver = KeptAnswer()
    let outcome = try call([Self.api + "/x": ResourceAnswer(body: "hello")], to: receiver)
    #expect(status(outcome) == 200)
    #expect(receiver.body == Array("hello".utf8))
    #expect(home.http.requests.map(\.authorization) == ["Authorization: Bearer at-1"])
  }

  // RFC 8705 section 3: a token bound to the certificate is valid only with it.
  @Test func `shows the account's client certificate, and that of no other account`() throws {
    var bound = configuration
    bound.usesClientCertificate = true
    try home.store(bound) {
      $0.credentials.key = try ClientKeyFile(Array(Self.certificateKey.utf8).span, in: NoDevice()).key
      $0.credentials.certificate = try secret(Self.certificate)
    }
    #expect(status(try call([Self.api + "/x": ResourceAnswer()], configuration: bound)) == 200)
    try home.store(configuration)
    #expect(status(try call([Self.api + "/x": ResourceAnswer()])) == 200)
    #expect(home.http.requests.map(\.certificate) == ["v6YjWbf5aSzfSf1Rn4UoOL2M7VisDM5zBlhE6M8ZoH8", nil])
  }

  /// Signed with its own key below; created with `openssl` for tests only.
  private static let certificate = """
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
  private static let certificateKey = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg13J+8kmeesXIFpV5
    VoFk+4aJxemaG0Y6h5mC6HRZjuuhRANCAATTXOtL26wsNhrUPm5HqWT5RF8yxs9I
    87sARANOreN9C58CKsejA2gIv4tEV+XFQuNJNcW8TJep8NgVKoJ/br5c
    -----END PRIVATE KEY-----
    """

  @Test func `sends nothing where the token may not go`() throws {
    try home.store(configuration)
    #expect(throws: SessionError.originNotListed(account: "work", origin: "https://evil.example")) {
      try call(at: "https://evil.example/x", ["https://evil.example/x": ResourceAnswer()])
    }
    var changed = configuration
    changed.origins.append("https://evil.example")
    #expect(throws: SessionError.originUnconfirmed(account: "work", origin: "https://evil.example")) {
      try call(at: "https://evil.example/x", ["https://evil.example/x": ResourceAnswer()], configuration: changed)
    }
    changed = configuration
    changed.pins = ["sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="]
    #expect(throws: SessionError.configurationChanged(account: "work", setting: "pins")) {
      try call([Self.api + "/x": ResourceAnswer()], configuration: changed)
    }
    #expect(home.http.requests.isEmpty)
  }

  @Test func `needs a session`() throws {
    #expect(throws: SessionError.signedOut(account: "work")) { try call([:]) }
  }

  @Test func `whose token is refused is made again, not answered`() throws {
    try home.store(configuration)
    let receiver = KeptAnswer()
    guard case .refused = try call([Self.api + "/x": ResourceAnswer(status: 401, body: "no")], to: receiver) else {
      Issue.record("it was answered")
      return
    }
    #expect(receiver.status == nil && receiver.body.isEmpty)
    #expect(
      status(try call([Self.api + "/x": ResourceAnswer(status: 401, body: "no")], mayRefresh: false, to: receiver))
        == 401)
    #expect(receiver.body == Array("no".utf8))
  }

  @Test func `is answered when its content cannot be sent again`() throws {
    try home.store(configuration)
    let refusal = [Self.api + "/x": ResourceAnswer(status: 401)]
    #expect(status(try call(method: "POST", refusal, content: UnreadContent(canRewind: false))) == 401)
    let content = UnreadContent(canRewind: true)
    #expect(status(try call(method: "POST", refusal, content: content)) == nil)
    #expect(content.rewinds == 1)
  }

  // Microsoft Entra ID: a refresh with the claims may help.
  @Test func `whose token lacks claims is made again with a token that has them`() throws {
    try home.store(configuration)
    let challenge = #"Bearer error="insufficient_claims", claims="eyJhIjp7fX0=""#
    let answer = ResourceAnswer(status: 401, headers: [("WWW-Authenticate", challenge)])
    guard case .refused(let claims) = try call([Self.api + "/x": answer]) else {
      Issue.record("it was answered")
      return
    }
    #expect(claims?.text == #"{"a":{}}"#)
    #expect(status(try call([Self.api + "/x": answer], mayRefresh: false)) == 401)
  }

  // RFC 9470 section 3: a refresh would not help.
  @Test(arguments: [
    (401, #"Bearer error="insufficient_user_authentication""#), (403, #"Bearer error="insufficient_scope""#),
  ])
  func `is answered when a new token would not help`(status: Int, challenge: String) throws {
    try home.store(configuration)
    let answer = ResourceAnswer(status: status, headers: [("WWW-Authenticate", challenge)])
    #expect(self.status(try call([Self.api + "/x": answer])) == status)
  }

  // MARK: Redirects

  private func redirect(_ location: String, status: Int = 302) -> ResourceAnswer {
    ResourceAnswer(status: status, headers: [("Location", location)])
  }

  @Test(arguments: [301, 302, 303, 307, 308], ["/y", "https://api.example/y", "y", "//api.example:443/y"])
  func `follows a redirect to the same origin`(status: Int, location: String) throws {
    try home.store(configuration)
    let y = location.contains("443") ? "https://api.example:443/y" : Self.api + "/y"
    let outcome = try call([Self.api + "/x": redirect(location, status: status), y: ResourceAnswer(status: 204)])
    #expect(self.status(outcome) == 204)
    #expect(home.http.requests.map(\.authorization) == ["Authorization: Bearer at-1", "Authorization: Bearer at-1"])
  }

  @Test(arguments: [
    "https://evil.example/", "//evil.example/", "https://api.example:8443/", "http://api.example/", "http://127.0.0.1/",
    "https://api.example.evil.example/", "https://user@api.example/", "ftp://api.example/", "\\\\evil.example", "",
    "../x", "https://api.example@evil.example/",
  ])
  func `sends the token nowhere else`(location: String) throws {
    try home.store(configuration)
    let receiver = KeptAnswer()
    // An empty reference refers to the same URL, so this is not a redirect.
    let answers = [Self.api + "/x": redirect(location)]
    #expect(status(try call(answers, to: receiver)) == 302)
    #expect(receiver.status == 302)
    #expect(Set(home.http.requests.map(\.url)) == [Self.api + "/x"])
  }

  // RFC 9110 section 10.2.2.
  @Test func `does not choose among several places`() throws {
    try home.store(configuration)
    let answer = ResourceAnswer(status: 302, headers: [("Location", "/y"), ("Location", "https://evil.example/")])
    #expect(status(try call([Self.api + "/x": answer])) == 302)
    #expect(home.http.requests.map(\.url) == [Self.api + "/x"])
  }

  @Test func `follows three redirects`() throws {
    try home.store(configuration)
    var answers: [String: ResourceAnswer] = [:]
    for step in 0..<5 { answers["\(Self.api)/\(step)"] = redirect("/\(step + 1)") }
    #expect(status(try call(at: Self.api + "/0", answers)) == 302)
    #expect(home.http.urls == (0...3).map { "\(Self.api)/\($0)" })
  }

  @Test(arguments: ["POST", "PUT", "DELETE"]) func `with an effect follows none`(method: String) throws {
    try home.store(configuration)
    #expect(status(try call(method: method, [Self.api + "/x": redirect("/y", status: 307)])) == 307)
    #expect(home.http.requests.count == 1)
  }
}
