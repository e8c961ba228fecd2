import Encoding
import TestSupport
import Testing

@testable import devissuer

/// RFC 8628, over a real socket.
@Suite struct `The device authorization grant` {
  @Test func `the answer has what section 3.2 requires`() throws {
    let issuer = try TestIssuer()
    let reply = try issuer.post("/device_authorization", "client_id=agent-cli&scope=openid+offline_access")
    let json = try #require(reply.json)
    #expect(reply.status == 200)
    #expect(reply[header: "Cache-Control"] == "no-store")
    #expect(json["verification_uri"]?.string == issuer.issuer + "/device")
    let code = try #require(json["user_code"]?.string)
    #expect(UserCode.read(code) == code)
    #expect(json["verification_uri_complete"]?.string == issuer.issuer + "/device?user_code=" + code)
    #expect(json["expires_in"]?.int == 600)
    #expect(json["interval"]?.int == 5)
    #expect(try #require(json["device_code"]?.string).utf8.count == 43)
  }

  @Test func `polling waits for the user and then gives tokens once (sections 3.4 and 3.5)`() throws {
    let issuer = try TestIssuer()
    let device = try issuer.authorizeDevice()
    #expect(try issuer.poll(device).failure == "400 authorization_pending")
    issuer.clock.advance(seconds: 5)
    try issuer.control("approve=\(device.userCode)")
    let json = try issuer.tokens(of: try issuer.poll(device)).json
    #expect(json["token_type"]?.string == "Bearer")
    #expect(json["expires_in"]?.int == 3600)
    #expect(json["scope"]?.string == "openid profile email")
    #expect(json["refresh_token"]?.string != nil && json["id_token"]?.string != nil)
    issuer.clock.advance(seconds: 5)
    #expect(try issuer.poll(device).failure == "400 invalid_grant")
  }

  @Test func `polling too fast adds five seconds each time (section 3.5)`() throws {
    let issuer = try TestIssuer()
    let device = try issuer.authorizeDevice()
    #expect(try issuer.poll(device).failure == "400 authorization_pending")
    issuer.clock.advance(seconds: 4)
    #expect(try issuer.poll(device).failure == "400 slow_down")
    issuer.clock.advance(seconds: 9)
    #expect(try issuer.poll(device).failure == "400 slow_down")
    issuer.clock.advance(seconds: 15)
    #expect(try issuer.poll(device).failure == "400 authorization_pending")
    issuer.clock.advance(seconds: 15)
    #expect(try issuer.poll(device).failure == "400 authorization_pending")
    #expect(try issuer.counter("slow_downs") == 2)
    #expect(try issuer.counter("device_polls") == 5)
  }

  @Test func `a poll that is too fast gives no tokens even when approved`() throws {
    let issuer = try TestIssuer()
    let device = try issuer.authorizeDevice()
    _ = try issuer.poll(device)
    try issuer.control("approve=\(device.userCode)")
    #expect(try issuer.poll(device).failure == "400 slow_down")
    issuer.clock.advance(seconds: 10)
    #expect(try issuer.poll(device).status == 200)
  }

  @Test func `no interval is enforced when it is zero`() throws {
    let issuer = try TestIssuer("--interval=0")
    let device = try issuer.authorizeDevice()
    for _ in 0..<3 { #expect(try issuer.poll(device).failure == "400 authorization_pending") }
  }

  @Test func `a denied request ends with access_denied (section 3.5)`() throws {
    let issuer = try TestIssuer()
    let device = try issuer.authorizeDevice()
    try issuer.control("deny=\(device.userCode)")
    #expect(try issuer.poll(device).failure == "400 access_denied")
    #expect(try issuer.counter("denials") == 1)
  }

  @Test func `an old code ends with expired_token (section 3.5)`() throws {
    let issuer = try TestIssuer("--device-code-lifetime=30")
    let device = try issuer.authorizeDevice()
    issuer.clock.advance(seconds: 30)
    #expect(try issuer.poll(device).failure == "400 expired_token")
    let reply = try issuer.post("/control", "approve=\(device.userCode)")
    #expect(reply.failure == "400 invalid_request")
  }

  @Test func `a user code can be decided once`() throws {
    let issuer = try TestIssuer()
    let device = try issuer.authorizeDevice()
    try issuer.control("deny=\(device.userCode)")
    #expect(try issuer.post("/control", "approve=\(device.userCode)").failure == "400 invalid_request")
    #expect(try issuer.poll(device).failure == "400 access_denied")
  }

  @Test func `another client cannot use the device code`() throws {
    let issuer = try TestIssuer()
    let device = try issuer.authorizeDevice()
    try issuer.control("approve=\(device.userCode)")
    let form =
      "grant_type=urn:ietf:params:oauth:grant-type:device_code&device_code=\(device.deviceCode)"
      + "&client_id=agent-confidential&client_secret=s3cret%3Awith%2Bsigns"
    #expect(try issuer.post("/token", form).failure == "400 invalid_grant")
    #expect(try issuer.poll(device).status == 200)
  }

  @Test(arguments: ["always": "200 -", "never": "400 access_denied"])
  func `nobody is asked when the option says so`(approval: String, expected: String) throws {
    let issuer = try TestIssuer("--approve=\(approval)")
    #expect(try issuer.poll(try issuer.authorizeDevice()).failure == expected)
  }

  @Test(arguments: [
    ("", "401 invalid_client"),
    ("grant_type=password&client_id=agent-cli", "400 unsupported_grant_type"),
    ("grant_type=refresh_token", "401 invalid_client"),
    ("client_id=agent-cli", "400 invalid_request"),
    ("grant_type=refresh_token&client_id=agent-cli", "400 invalid_request"),
    ("grant_type=refresh_token&client_id=agent-cli&refresh_token=", "400 invalid_request"),
    ("grant_type=refresh_token&client_id=agent-cli&refresh_token=x", "400 invalid_grant"),
    ("grant_type=refresh_token&client_id=agent-cli&client_id=agent-cli", "400 invalid_request"),
    ("grant_type=refresh_token&client_id=agent-cli&scope=a%00&refresh_token=x", "400 invalid_request"),
    ("grant_type=refresh_token&client_id=agent-cli&scope=%22&refresh_token=x", "400 invalid_scope"),
    ("grant_type=urn:ietf:params:oauth:grant-type:device_code&client_id=agent-cli", "400 invalid_request"),
    ("grant_type=urn:ietf:params:oauth:grant-type:device_code&client_id=agent-cli&device_code=x", "400 invalid_grant"),
    ("%", "400 invalid_request"),
  ])
  func `errors have the form of RFC 6749 section 5.2`(form: String, expected: String) throws {
    let issuer = try TestIssuer()
    let reply = try issuer.post("/token", form)
    #expect(reply.failure == expected)
    #expect(reply[header: "Cache-Control"] == "no-store")
    #expect(reply[header: "Content-Type"] == "application/json")
  }
}
