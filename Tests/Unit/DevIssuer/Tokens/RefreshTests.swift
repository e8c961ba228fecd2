import Encoding
import TestSupport
import Testing

@testable import devissuer

/// RFC 6749 section 6 with the rotation of RFC 9700 section 4.14.2.
@Suite struct `Refreshing` {
  @Test func `each refresh replaces the refresh token`() throws {
    let issuer = try TestIssuer()
    var tokens = try issuer.signIn()
    for _ in 0..<5 {
      let next = try issuer.tokens(of: try issuer.refresh(try #require(tokens.refresh)))
      #expect(next.refresh != tokens.refresh && next.access != tokens.access)
      #expect(next.json["scope"]?.string == "openid profile email")
      tokens = next
    }
    #expect(try issuer.counter("refreshes") == 5)
    #expect(try issuer.get("/resource", bearer: tokens.access).status == 200)
  }

  @Test func `a token used twice ends the whole grant`() throws {
    let issuer = try TestIssuer()
    let first = try issuer.signIn()
    let second = try issuer.tokens(of: try issuer.refresh(try #require(first.refresh)))
    #expect(try issuer.refresh(try #require(first.refresh)).failure == "400 invalid_grant")
    #expect(try issuer.counter("reuse_detected") == 1)
    #expect(try issuer.refresh(try #require(second.refresh)).failure == "400 invalid_grant")
    #expect(try issuer.get("/resource", bearer: second.access).status == 401)
  }

  @Test func `within the leeway the token before the last one is taken`() throws {
    let issuer = try TestIssuer()
    let first = try issuer.signIn()
    let second = try issuer.tokens(of: try issuer.refresh(try #require(first.refresh)))
    try issuer.control("reuse_leeway=30")
    issuer.clock.advance(seconds: 29)
    let third = try issuer.tokens(of: try issuer.refresh(try #require(first.refresh)))
    issuer.clock.advance(seconds: 30)
    #expect(try issuer.refresh(try #require(second.refresh)).failure == "400 invalid_grant")
    #expect(try issuer.refresh(try #require(third.refresh)).failure == "400 invalid_grant")
  }

  @Test func `without rotation the token stays and is not sent again`() throws {
    let issuer = try TestIssuer("--no-rotation")
    let tokens = try issuer.signIn()
    for _ in 0..<2 {
      #expect(try issuer.tokens(of: try issuer.refresh(try #require(tokens.refresh))).refresh == nil)
    }
  }

  @Test func `no refresh token is issued when the option says so`() throws {
    let issuer = try TestIssuer("--no-refresh-token")
    #expect(try issuer.signIn().refresh == nil)
  }

  @Test func `an old token is refused`() throws {
    let issuer = try TestIssuer("--refresh-token-lifetime=100")
    let first = try issuer.signIn()
    issuer.clock.advance(seconds: 99)
    let second = try issuer.tokens(of: try issuer.refresh(try #require(first.refresh)))
    issuer.clock.advance(seconds: 100)
    #expect(try issuer.refresh(try #require(second.refresh)).failure == "400 invalid_grant")
    #expect(try issuer.counter("refresh_failures") == 1)
  }

  @Test func `a narrower scope narrows the access token only`() throws {
    let issuer = try TestIssuer()
    let first = try issuer.signIn(scope: "openid email read")
    let narrow = try issuer.tokens(of: try issuer.refresh(try #require(first.refresh), "&scope=read"))
    #expect(narrow.json["scope"]?.string == "read")
    #expect(narrow.id == nil)
    let wide = try issuer.tokens(of: try issuer.refresh(try #require(narrow.refresh)))
    #expect(wide.json["scope"]?.string == "openid email read")
  }

  @Test func `a narrower scope is ignored by a server that does so`() throws {
    let issuer = try TestIssuer("--no-narrow-scope")
    let first = try issuer.signIn(scope: "openid email read")
    let wide = try issuer.tokens(of: try issuer.refresh(try #require(first.refresh), "&scope=read"))
    #expect(wide.json["scope"]?.string == "openid email read")
  }

  @Test func `a wider scope is refused and the token stays good`() throws {
    let issuer = try TestIssuer()
    let first = try issuer.signIn(scope: "openid")
    #expect(try issuer.refresh(try #require(first.refresh), "&scope=openid+admin").failure == "400 invalid_scope")
    #expect(try issuer.refresh(try #require(first.refresh)).status == 200)
  }

  @Test func `another client cannot refresh and harms nothing`() throws {
    let issuer = try TestIssuer()
    let first = try issuer.signIn()
    let token = try #require(first.refresh)
    let form =
      "grant_type=refresh_token&refresh_token=\(token)&client_id=agent-confidential&client_secret=s3cret%3Awith%2Bsigns"
    #expect(try issuer.post("/token", form).failure == "400 invalid_grant")
    #expect(try issuer.refresh(token).status == 200)
  }

  @Test func `an access token without a lifetime has no expires_in and does not expire`() throws {
    let issuer = try TestIssuer("--access-token-lifetime=0")
    let tokens = try issuer.signIn()
    #expect(tokens.json["expires_in"] == nil)
    issuer.clock.advance(seconds: 100_000_000)
    #expect(try issuer.get("/resource", bearer: tokens.access).status == 200)
  }
}
