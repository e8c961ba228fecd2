import Platform
import TestSupport
import Testing

@testable import devissuer

@Suite struct `The program` {
  @Test func `wrong usage has its own status`() {
    #expect(DevIssuerMain.run(arguments: ["--nonsense"]) == 2)
  }

  @Test func `a port in use is told`() throws {
    let issuer = try TestIssuer()
    var options = Options()
    options.port = issuer.port
    let error = #expect(throws: StartError.self) { _ = try Server(options: options, clientSecret: "x") }
    #expect(error?.message == "the port is in use")
  }

  @Test func `a log or a secret that cannot be written keeps it from starting`() throws {
    let directory = try TemporaryDirectory()
    let missing = directory.path("missing/file")
    #expect(DevIssuerMain.run(arguments: ["--log", missing]) == 1)
    #expect(DevIssuerMain.run(arguments: ["--client-secret-file", missing]) == 1)
  }

  @Test func `the secret goes into a new file that only its owner can read`() throws {
    let directory = try TemporaryDirectory()
    #expect(!ClientSecretFile.exists(directory.path("secret")))
    try ClientSecretFile.write("s3cret", to: directory.path("secret"))
    #expect(ClientSecretFile.exists(directory.path("secret")))
    // Refuses a file with any right for others.
    let bytes = try directory.open().readFile("secret", limit: 100)
    #expect(bytes == Array("s3cret".utf8))
    #expect(DevIssuerMain.run(arguments: ["--client-secret-file", directory.path("secret")]) == 1)
  }

  @Test func `the log has a line for each request and no secret`() throws {
    let directory = try TemporaryDirectory()
    let issuer = try TestIssuer(log: try RequestLog(directory.path("log")))
    let device = try issuer.authorizeDevice()
    _ = try issuer.get("/device?user_code=\(device.userCode)")
    try issuer.control("approve=\(device.userCode)")
    let tokens = try issuer.tokens(of: try issuer.poll(device))
    _ = try issuer.get("/resource", bearer: tokens.access)

    let text = try directory.readText("log")
    for part in ["POST /device_authorization 200 ", "GET /device 200 ", "POST /token 200 ", "GET /resource 200 "] {
      #expect(text.contains("2027-01-15T08:00:00Z " + part), "\(part)")
    }
    for secret in [device.deviceCode, device.userCode, tokens.access, try #require(tokens.refresh)] {
      #expect(!text.contains(secret))
    }
  }
}
