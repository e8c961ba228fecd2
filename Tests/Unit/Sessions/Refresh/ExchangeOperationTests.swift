import Crypto
import Encoding
import OAuth
import Platform
import Sessions
import Testing
import Vault
import Vocabulary

// RFC 8693.
@Suite struct `A token that is got for another` {
  let home: Home

  init() throws { home = try Home() }

  @Test(arguments: Protection.allCases) func `is at the level of that one, so that a lock takes it and its use counts`(
    level: Protection
  ) throws {
    try home.store()
    home.http.answer(TestIssuer.tokenURL, try Self.issued("urn:ietf:params:oauth:token-type:access_token"))
    let target = try #require(try TokenTarget(scope: [], resources: [], audience: "api", usesTokenExchange: true))
    let exchanged = try SessionRequests(
      account: home.account, configuration: Home.configuration, grant: grant("at-1", protection: level),
      services: home.services
    ).exchange(for: target)
    #expect(exchanged.accessToken.text == "at-2")
    #expect(exchanged.protection == level)
    #expect(home.http.requests.last?.form?.contains("subject_token=at-1") == true)
  }

  private static func issued(_ type: JSON?, scope: String? = nil) throws -> HTTPResponse {
    var body: JSONObject = ["access_token": "at-2", "token_type": "Bearer"]
    body["issued_token_type"] = type
    body["scope"] = scope.map { .string($0) }
    return try response(200, .object(body))
  }

  private func exchange(_ answer: HTTPResponse, scope: [String] = []) throws -> AccessGrant {
    try home.store()
    home.http.answer(TestIssuer.tokenURL, answer)
    let target = try #require(try TokenTarget(scope: scope, resources: [], audience: "api", usesTokenExchange: true))
    return try SessionRequests(
      account: home.account, configuration: Home.configuration, grant: grant("at-1"), services: home.services
    ).exchange(for: target)
  }

  // RFC 8693 section 2.2.1 (P-232, P-233).
  @Test(
    arguments: [nil, 5, "urn:ietf:params:oauth:token-type:refresh_token", "urn:ietf:params:oauth:token-type:jwt"]
      as [JSON?])
  func `is refused when the answer does not say that it is an access token`(type: JSON?) throws {
    #expect(throws: SessionError.self) { _ = try exchange(try Self.issued(type)) }
  }

  @Test func `is refused when a part of the demanded scope is missing`() throws {
    let type = JSON.string("urn:ietf:params:oauth:token-type:access_token")
    #expect(throws: SessionError.self) { _ = try exchange(try Self.issued(type, scope: "openid"), scope: ["mail"]) }
    #expect(try exchange(try Self.issued(type, scope: "mail"), scope: ["mail"]).scope == "mail")
  }
}
