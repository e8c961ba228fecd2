import Platform
import TestSupport
import Testing

@testable import devissuer

@Suite struct `The program` {
  private func run(_ arguments: String...) -> Int32 { DevelopmentIssuerProgram.run(arguments) }

  @Test func `wrong usage has its own status`() {
    #expect(run("--nonsense") == 2)
  }

  @Test func `what keeps it from starting ends it`() throws {
    let directory = try TemporaryDirectory()
    let missing = directory.path("missing/file")
    let issuer = try TestIssuer()
    #expect(run("--port", String(issuer.port)) == 1)
    // The port was in use until now.
    #expect(try issuer.get("/jwks").status == 200)
    #expect(run("--log", missing) == 1)
    #expect(run("--client-secret-file", missing) == 1)
    #expect(run("--client-jwks", missing) == 1)
  }

  @Test func `a secret goes into a new file only`() throws {
    let directory = try TemporaryDirectory()
    try directory.write("secret", "precious")
    #expect(run("--client-secret-file", directory.path("secret")) == 1)
    #expect(try directory.readText("secret") == "precious")
  }

  @Test func `the log has a line for each request and no secret`() throws {
    let log = Monitor("")
    let issuer = try TestIssuer(log: { line in log.withLock { $0 += line } })
    let device = try issuer.authorizeDevice()
    _ = try issuer.get("/device?user_code=\(device.userCode)")
    try issuer.control("approve=\(device.userCode)")
    let tokens = try issuer.tokens(of: try issuer.poll(device))
    _ = try issuer.get("/resource", bearer: tokens.access)

    let text = log.withLock { $0 }
    for part in ["POST /device_authorization 200 ", "GET /device 200 ", "POST /token 200 ", "GET /resource 200 "] {
      #expect(text.contains("2027-01-15T08:00:00Z " + part), "\(part)")
    }
    for secret in [device.deviceCode, device.userCode, tokens.access, try #require(tokens.refresh)] {
      #expect(!text.contains(secret))
    }
  }
}
