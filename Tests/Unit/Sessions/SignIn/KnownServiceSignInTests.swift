import Encoding
import OAuth
import Sessions
import TestSupport
import Testing
import Vocabulary

/// A sign-in at a service without metadata whose properties are built in.
@Suite struct `A sign-in at GitHub` {
  let home: Home

  init() throws { home = try Home() }

  private static let configuration: AccountConfiguration = {
    var configuration = AccountConfiguration(issuer: "https://github.com", clientID: "cli")
    configuration.provider = .github
    return configuration
  }()
  private static let deviceURL = "https://github.com/login/device/code"
  private static let tokenURL = "https://github.com/login/oauth/access_token"

  private func prepare() throws -> SignIn.PendingApproval.Device {
    try SignIn.Request(
      account: home.account, configuration: Self.configuration, services: home.services, cancellation: Cancellation()
    ).device()
  }

  @Test func `asks for no metadata, and for a scope, since none would mean all that was ever granted`() throws {
    home.http.answer(Self.deviceURL, try response(200, Home.codes))
    let signIn = try prepare()
    #expect(
      home.http.requests == [
        ScriptedHTTP.Recorded(url: Self.deviceURL, form: ["scope=read:user", "client_id=cli"])
      ])
    #expect(signIn.prepared.scope?.text == "read:user")
  }

  @Test func `reads scopes with commas, and keeps the service's name with the secrets`() throws {
    home.http.answer(Self.deviceURL, try response(200, Home.codes))
    let signIn = try prepare()
    home.http.answer(
      Self.tokenURL,
      try response(200, ["access_token": "gho_1", "token_type": "bearer", "scope": "gist,read:user"]))
    let outcome = try home.finish(signIn)
    #expect(outcome.grant.scope == "gist read:user" && outcome.grant.isScopeFromServer && outcome.grant.subject == nil)
    let record = try #require(try home.stored())
    #expect(record.authority.changedSetting(in: Self.configuration, caDigest: nil) == nil)
    var changed = Self.configuration
    changed.provider = nil
    #expect(record.authority.changedSetting(in: changed, caDigest: nil) == "provider")
  }

  // RFC 9207 section 2.4: GitHub identifies itself by the issuer with a path.
  @Test(arguments: ["https://github.com", "https://github.com/login/oauth"])
  func `takes an answer that names GitHub, whichever way the account does`(issuer: String) throws {
    var configuration = Self.configuration
    configuration.issuer = issuer
    let prepared = try SignIn.Request(
      account: home.account, configuration: configuration, services: home.services, cancellation: Cancellation()
    ).prepared()
    func answer(_ named: String) throws -> AuthorizationResponse {
      let signIn = try SignIn.PendingApproval.Browser(prepared, redirectURI: "http://127.0.0.1:1/callback")
      let query = Array("code=c&state=\(signIn.request.state)&iss=\(named)".utf8)
      return signIn.request.answer(in: query.span)
    }
    if case .code = try answer("https%3A%2F%2Fgithub.com%2Flogin%2Foauth") {
    } else {
      Issue.record("a code was expected")
    }
    guard case .failure(let error) = try answer("https%3A%2F%2Fgithub.com%2Fother") else {
      Issue.record("a refusal was expected")
      return
    }
    #expect(error.code == .responseIssuerMismatch)
  }

  @Test func `advises with an error that is GitHub's own`() throws {
    home.http.answer(Self.deviceURL, try response(400, ["error": "device_flow_disabled"]))
    do {
      _ = try prepare()
      Issue.record("an error was expected")
    } catch SessionError.oauth(let error) {
      #expect(error.code == .unauthorizedClient)
      #expect(
        error.advice?.english == "enable \"Enable Device Flow\" in the settings of the app:"
          + " https://github.com/settings/developers")
    }
  }
}
