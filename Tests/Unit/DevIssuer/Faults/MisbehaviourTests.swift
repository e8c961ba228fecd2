import Encoding
import Platform
import Testing

@testable import devissuer

@Suite struct `Misbehaving on demand` {
  @Test(arguments: [
    ("token", "POST", "/token"), ("device", "POST", "/device_authorization"), ("userinfo", "GET", "/userinfo"),
  ])
  func `a hanging request blocks no other`(target: String, method: String, path: String) throws {
    let issuer = try TestIssuer()
    try issuer.control("hang=\(target)")
    var hanging = try HTTPConnection(port: issuer.port)
    try hanging.send(
      "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(issuer.port)\r\nContent-Length: 0\r\n"
        + "Content-Type: application/x-www-form-urlencoded\r\n\r\n")
    try issuer.awaitHang()
    #expect(try issuer.get("/jwks").status == 200)
    try issuer.control("hang=off")
    let reply = try #require(try hanging.reply())
    // The request has no authentication.
    #expect(reply.status == 401)
  }

  @Test func `a hanging request ends with its client`() throws {
    let issuer = try TestIssuer()
    let tokens = try issuer.signIn()
    try issuer.control("hang=token")
    do {
      let client = try HTTPConnection(port: issuer.port)
      let form = "grant_type=refresh_token&client_id=agent-cli&refresh_token=\(try #require(tokens.refresh))"
      try client.send(
        "POST /token HTTP/1.1\r\nHost: 127.0.0.1:\(issuer.port)\r\nContent-Length: \(form.utf8.count)\r\n"
          + "Content-Type: application/x-www-form-urlencoded\r\n\r\n\(form)")
      try issuer.awaitHang()
      try UnixSocket.shutDown(client.takeSocket())
    }
    try issuer.control("hang=off")
    #expect(try issuer.counter("refreshes") == 0)
    #expect(try issuer.refresh(try #require(tokens.refresh)).status == 200)
  }

  @Test func `token answers can be delayed`() throws {
    let issuer = try TestIssuer()
    let token = try #require(try issuer.signIn().refresh)
    try issuer.control("delay_token_ms=50")
    let start = Instant.now
    #expect(try issuer.refresh(token).status == 200)
    #expect(start.duration(to: .now) >= .milliseconds(50))
  }

  @Test func `failures are counted down and change nothing`() throws {
    let issuer = try TestIssuer()
    let token = try #require(try issuer.signIn().refresh)
    try issuer.control("fail_next_token=2&status=503&retry_after=7")
    for _ in 0..<2 {
      let reply = try issuer.refresh(token)
      #expect(reply.failure == "503 temporarily_unavailable")
      #expect(reply[header: "Retry-After"] == "7")
    }
    #expect(try issuer.refresh(token).status == 200)
    try issuer.control("fail_next_userinfo=1&status=500&error=server_error")
    #expect(try issuer.get("/userinfo").failure == "500 server_error")
    #expect(try issuer.get("/userinfo").status == 401)
    #expect(try issuer.counter("misbehaviours") == 3)
  }

  @Test func `the clock that clients see can be wrong`() throws {
    let issuer = try TestIssuer()
    try issuer.control("clock_offset=-3600")
    #expect(try issuer.get("/jwks")[header: "Date"] == "Fri, 15 Jan 2027 07:00:00 GMT")
    try issuer.control("clock_offset=3600")
    #expect(try issuer.get("/jwks")[header: "Date"] == "Fri, 15 Jan 2027 09:00:00 GMT")
  }

  @Test func `settings change at run time`() throws {
    let issuer = try TestIssuer()
    try issuer.control("interval=7&access_token_lifetime=11&device_code_lifetime=13&approval=always&rotation=off")
    let json = try issuer.post("/device_authorization", "client_id=agent-cli").json
    #expect(json?["interval"]?.int == 7 && json?["expires_in"]?.int == 13)
    let tokens = try issuer.tokens(of: try issuer.poll(try issuer.authorizeDevice()))
    #expect(tokens.json["expires_in"]?.int == 11)
    #expect(try issuer.tokens(of: try issuer.refresh(try #require(tokens.refresh))).refresh == nil)
  }

  @Test(arguments: [
    "nonsense=1", "interval=x", "interval=-1", "interval=3601", "hang=x", "hang=control", "break_id_token=nbf",
    "body=x", "break_jwks=x", "break_userinfo=x",
    "times=1", "status=200", "status=200&fail_next_token=1", "fail_next_control=1", "fail_next_x=1", "approve=x",
    "approve=BBBB-BBBB", "approve=BBBB-BBBB&deny=BBBB-BBBB", "revoke_all=yes", "clock_offset=1-", "username=%3C",
    "error=%22",
  ])
  func `a switch that is not understood is refused`(form: String) throws {
    let issuer = try TestIssuer()
    #expect(try issuer.post("/control", form).failure == "400 invalid_request")
  }

  @Test func `a request that is refused changes nothing`() throws {
    let issuer = try TestIssuer()
    #expect(try issuer.post("/control", "interval=9&body=x").status == 400)
    #expect(try issuer.post("/device_authorization", "client_id=agent-cli").json?["interval"]?.int == 5)
  }

  @Test func `the control endpoint is not for browsers and not there by default`() throws {
    let issuer = try TestIssuer()
    let reply = try issuer.post("/control", "revoke_all=1", headers: ["Origin: https://attacker.example"])
    #expect(reply.status == 403)
    let closed = try TestIssuer(hasControl: false)
    #expect(try closed.get("/control").status == 404)
  }

  @Test func `the counters tell no token and no code`() throws {
    let issuer = try TestIssuer()
    let device = try issuer.authorizeDevice()
    try issuer.control("approve=\(device.userCode)")
    let tokens = try issuer.tokens(of: try issuer.poll(device))
    let text = try issuer.get("/control").text
    for secret in [device.deviceCode, device.userCode, tokens.access, try #require(tokens.refresh)] {
      #expect(!text.contains(secret))
    }
    #expect(try issuer.counter("device_grants") == 1)
  }
}
