import Encoding
import Platform
import TestSupport
import Testing

/// A client with a certificate whose key never leaves the TPM.
@Suite(.needsPrograms, .needsSoftwareTPM, .enabled(if: Spawn.search("python3") != nil))
struct `A client whose key is in the TPM` {
  /// The manual's lines: a key, a certificate request and the sign-in; and those for a new client.
  private static func recipe() throws -> (key: String, request: String, signIn: String, registration: String) {
    let lines = try Manual().examples().filter { $0.purpose.contains("in the TPM") }.map(\.line)
    try #require(lines.count == 4, "\(lines)")
    return (lines[0], lines[1], lines[2], lines[3])
  }

  /// Runs a line of the manual at this server, as the client that it certifies.
  private func run(
    _ line: String, _ home: TPMHome, _ server: MutualTLSServer, _ options: String..., on other: SoftwareTPM? = nil
  ) throws -> ProcessResult {
    let isSignIn = line.hasPrefix("agent ")
    let line = line.replacing("https://id.example.com", with: server.url).replacing("my-cli", with: "client-7")
    let login = line.hasPrefix("agent account add ") ? "&& agent login work --register" : ""
    let more =
      isSignIn
      ? " --ca-file '\(home.file("ca.pem"))' \(login) --device --json " + options.joined(separator: " ") : ""
    return try home.tree.shell("bash", line + more, home.machine(other), in: home.tree.directory.path)
  }

  /// A key in the TPM and its certificate from the server's authority, created with the manual's lines.
  private func makeKey(_ home: TPMHome, _ server: MutualTLSServer, on other: SoftwareTPM? = nil) throws {
    let recipe = try Self.recipe()
    for line in [recipe.key, recipe.request] {
      let result = try run(line, home, server, on: other)
      try #require(result.succeeded, "\(result.errorText)")
    }
    let signed = try ProcessRunner.shell(
      "cd '\(home.tree.directory.path)' && openssl x509 -req -in client.csr -CA ca.pem -CAkey ca.key -days 2 -out client.pem"
    )
    try #require(signed.succeeded, "\(signed.errorText)")
  }

  private func login(_ home: TPMHome, _ server: MutualTLSServer, on other: SoftwareTPM? = nil) throws -> ProcessResult {
    try run(
      Self.recipe().signIn, home, server, "--host", String(server.privateURL.dropFirst("https://".count)), on: other)
  }

  @Test(arguments: [("TLSv1_2", "TLSv1.2"), ("TLSv1_3", "TLSv1.3")])
  func `signs in by the manual's recipe, refreshes, and uses tokens that are bound to the certificate`(
    version: String, spoken: String
  ) throws {
    try TPMHome.with { home in
      let server = try MutualTLSServer(home.tree, version: version)
      try makeKey(home, server)
      let result = try login(home, server)
      try #require(result.succeeded, "\(result.errorText)")
      let posts = [
        "back POST /device client-7", "back POST /token client-7 urn:ietf:params:oauth:grant-type:device_code",
      ]
      #expect(try server.newRequests().filter { $0.contains("POST") } == posts)
      try ProcessRunner.shell("rm '\(home.file("client.key"))' '\(home.file("client.pem"))'")
      try home.tree.stopDaemon()
      let renewed = try home.agent("token", "work", "--force-refresh")
      #expect(renewed.outputText == "bound-1\n", "\(renewed.errorText)")
      let answer = try home.agent("request", server.privateURL + "/resource")
      try #require(answer.succeeded, "\(answer.errorText)")
      let told = try JSON(parsing: answer.output)
      let account = try #require(home.tree.json("status", "work")["accounts"]?.array?.first)
      #expect(told["thumbprint"] == account["certificate_thumbprint"] && told["version"]?.string == spoken, "\(told)")
      let lent = try home.agent(
        "exec", "--lease", "work", "--", "agent", "request", server.privateURL + "/resource")
      try #require(lent.succeeded, "\(lent.errorText)")
      #expect(try JSON(parsing: lent.output) == told)
    }
  }

  @Test func `is refused at the sign-in with a key of another TPM, before anything is sent`() throws {
    try TPMHome.with { home in
      let server = try MutualTLSServer(home.tree)
      try makeKey(home, server, on: SoftwareTPM())
      let result = try login(home, server)
      #expect(result.status == .exited(3) && result.failureCode == "interaction_required", "\(result.errorText)")
      #expect(result.errorText.contains("the client's key is in the TPM of another machine"), "\(result.errorText)")
      #expect(try server.newRequests() == [])
      #expect(try home.tree.json("list")["accounts"] == [])
    }
  }

  @Test(arguments: [
    ("group:P-256 -pkeyopt user-auth:abc", "has its own authorization"), ("group:P-384", "create a P-256 key"),
  ]) func `is told what is wrong with a key that cannot be used`(options: String, problem: String) throws {
    try TPMHome.with { home in
      let server = try MutualTLSServer(home.tree)
      let line = try Self.recipe().key.replacing("group:P-256", with: options)
      let made = try run(line, home, server)
      try #require(made.succeeded, "\(made.errorText)")
      try ProcessRunner.shell("cp '\(home.file("ca.pem"))' '\(home.file("client.pem"))'")
      let result = try login(home, server)
      #expect(result.failureCode == "invalid_configuration", "\(result.errorText)")
      #expect(result.errorText.contains(problem), "\(result.errorText)")
      #expect(try server.newRequests() == [])
    }
  }

  @Test func `is of no use where its state is copied to, and sends nothing there`() throws {
    try TPMHome.with { home in
      let server = try MutualTLSServer(home.tree)
      try makeKey(home, server)
      try #require(login(home, server).succeeded)
      try home.run("vault", "bind", "--to", "host")
      try home.tree.stopDaemon()
      _ = try server.newRequests()
      let other = try SoftwareTPM()
      let copied = try home.agent("token", "work", "--force-refresh", "--json", on: other)
      #expect(copied.failed(3) && copied.failureCode == "interaction_required", "\(copied.errorText)")
      #expect(copied.errorText.contains("the client's key"), "\(copied.errorText)")
      // The user is not asked to approve a session that would fail afterwards.
      let again = try home.agent("login", "work", "--device", "--json", on: other)
      #expect(again.status == .exited(3) && !again.outputText.contains("device_code"), "\(again.errorText)")
      #expect(try server.newRequests().filter { $0.contains("POST") } == [])
      try home.tree.stopDaemon()
      try home.run("token", "work", "--force-refresh")
    }
  }

  @Test func `keeps its session while the TPM is away`() throws {
    try TPMHome.with { home in
      let server = try MutualTLSServer(home.tree)
      try makeKey(home, server)
      try #require(login(home, server).succeeded)
      // The vault can be decrypted without the TPM, so that only the client's key is missing.
      try home.run("vault", "bind", "--to", "host")
      try home.tpm.end()
      let away = try home.agent("token", "work", "--force-refresh", "--json")
      #expect(away.failed(1) && away.failureCode == "tpm_unavailable", "\(away.errorText)")
      #expect(away.errorText.contains("agent vault check"), "\(away.errorText)")
      let resource = try home.agent("request", server.privateURL + "/resource")
      #expect(resource.failed(1), "\(resource.errorText)")
      #expect(resource.errorText.contains("the client's key is in the TPM, which cannot be used at the moment"))
      try home.run("token", "work")
      #expect(try home.tree.json("status", "work")["accounts"]?.array?.first?["state"] == "active")
    }
  }

  @Test func `holds up nobody while the TPM does not answer`() throws {
    try TPMHome.with { home in
      let server = try MutualTLSServer(home.tree)
      try makeKey(home, server)
      try #require(login(home, server).succeeded)
      try home.run("vault", "bind", "--to", "host")
      try home.signIn("other")
      _ = try server.newRequests()
      try home.tpm.signal(19)
      defer { try? home.tpm.signal(18) }
      let waiting = try RunningProcess(
        executable: Programs.path("agent"), arguments: ["token", "work", "--force-refresh"],
        environment: home.tree.environment(home.machine()))
      // Requests to a server, not only local ones.
      for _ in 0..<3 { try home.run("token", "other", "--force-refresh") }
      #expect(try server.newRequests() == [])
      try home.tpm.signal(18)
      #expect(try waiting.wait() == .exited(0))
      #expect(try server.newRequests() == ["back POST /token client-7 refresh_token"])
    }
  }

  @Test func `may sign tokens by a key that the manual's recipe made, too`() throws {
    try TPMHome.with { home in
      let server = try MutualTLSServer(home.tree)
      try makeKey(home, server)
      try home.issuer.control("open_registration", "1")
      let point = try ProcessRunner.shell(
        "openssl req -in '\(home.file("client.csr"))' -noout -pubkey | openssl pkey -pubin -outform DER | tail -c 64")
      try #require(point.output.count == 64)
      let key: JSON = [
        "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode(Array(point.output.prefix(32)))),
        "y": .string(Base64URL.encode(Array(point.output.suffix(32)))),
      ]
      let metadata: JSON = [
        "client_name": "by hand", "application_type": "native", "token_endpoint_auth_method": "private_key_jwt",
        "jwks": ["keys": [key]], "grant_types": ["urn:ietf:params:oauth:grant-type:device_code", "refresh_token"],
        "response_types": [],
      ]
      try home.tree.directory.write("client.json", String(decoding: metadata.serialized(), as: UTF8.self))
      let registered = try ProcessRunner.shell(
        "curl -sS -H 'Content-Type: application/json' --data @'\(home.file("client.json"))' '\(home.issuer.url)/register'"
      )
      let id = try #require(JSON(parsing: registered.output)["client_id"]?.string, "\(registered.outputText)")
      try home.run(
        "login", "jwt", "--issuer", home.issuer.url, "--client-id", id, "--client-key-file", home.file("client.key"),
        "--allow-http-loopback", "--device")
      try home.tree.stopDaemon()
      try home.run("token", "jwt", "--force-refresh")
      #expect(try home.issuer.count("client_failures") == 0)
    }
  }

  // MARK: Registration

  private func register(
    _ home: TPMHome, _ server: MutualTLSServer, key place: String = "tpm2"
  ) throws {
    let line = try Self.recipe().registration.replacing("--key tpm2", with: "--key \(place)")
    let result = try run(line, home, server)
    try #require(result.succeeded, "\(result.errorText)")
  }

  @Test(arguments: ["tpm2", "vault"])
  func `is registered with a certificate of its own, is the same at later sign-ins, and is deleted with the account`(
    place: String
  ) throws {
    try TPMHome.with { home in
      let server = try MutualTLSServer(home.tree)
      try register(home, server, key: place)
      let requests = try server.newRequests()
      #expect(requests.contains("front POST /register self_signed_tls_client_auth True"), "\(requests)")
      #expect(requests.contains("back POST /device registered-0"), "\(requests)")
      let settings = try home.tree.json("account", "show", "work")["settings"]
      #expect(settings?["token_endpoint_auth_method"] == "self_signed_tls_client_auth")
      let certificate = {
        try home.tree.json("status", "work")["accounts"]?.array?.first?["certificate_thumbprint"]?.string
      }
      let first = try #require(try certificate())
      try home.tree.stopDaemon()
      try home.run("token", "work", "--force-refresh")
      try home.run("login", "work", "--device")
      #expect(try certificate() == first)
      try home.run("logout", "work")
      try home.run("login", "work", "--device")
      #expect(try certificate() == first)
      #expect(try server.newRequests().filter { $0.contains("/register") } == [])
      try home.run("account", "remove", "work")
      #expect(try server.newRequests().contains("front DELETE /clients/registered-0"))
      try register(home, server, key: place)
      #expect(try certificate() != first)
    }
  }

  @Test func `that is registered cannot be copied where its key is in the TPM, and can where the vault has it`() throws
  {
    try TPMHome.with { home in
      let server = try MutualTLSServer(home.tree)
      for place in ["tpm2", "vault"] {
        try register(home, server, key: place)
        try home.run("vault", "bind", "--to", "host")
        try home.tree.stopDaemon()
        let other = try SoftwareTPM()
        let copied = try home.agent("token", "work", "--force-refresh", "--json", on: other)
        if place == "tpm2" {
          #expect(copied.failed(3) && copied.failureCode == "interaction_required", "\(copied.errorText)")
        } else {
          #expect(copied.succeeded, "\(copied.errorText)")
        }
        try home.tree.stopDaemon()
        try home.run("account", "remove", "work")
      }
    }
  }

  @Test func `is not registered for a certificate that an authority must issue`() throws {
    try TPMHome.with { home in
      let server = try MutualTLSServer(home.tree)
      let line = try Self.recipe().registration.replacing("self_signed_tls_client_auth", with: "tls_client_auth")
      let result = try run(line, home, server)
      #expect(
        !result.succeeded && result.errorText.contains("a certificate from an authority must be registered manually"),
        "\(result.errorText)")
      #expect(try server.newRequests().filter { $0.contains("POST") } == [])
    }
  }
}
