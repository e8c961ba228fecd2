import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms, .needsSoftwareTPM) struct `A vault on a machine with a TPM` {
  @Test func `is bound to it, and says so`() throws {
    try TPMHome.with { home in
      try home.signIn("work")
      let status = try home.tree.json("vault", "status")
      #expect(status["binding"] == "tpm2" && status["binding_problem"] == nil, "\(status)")
      #expect(status["slots"] == [["slot": 1, "kind": "tpm2", "protection": "device"]])
      #expect(try home.run("status", "--verbose").outputText.contains("bound to the TPM"))
      try home.tree.stopDaemon()
      try home.run("token", "work", "--force-refresh")
      #expect(try home.tree.json("vault", "check")["sound"] == true)
    }
  }

  @Test func `does not open with another TPM or without one, until a passphrase binds it anew`() throws {
    try TPMHome.with { home in
      try home.signIn("work")
      try home.run("vault", "add-passphrase", "--passphrase-file", home.file("passphrase"))
      try home.tree.stopDaemon()
      let asked = try home.issuer.requests()
      let name = "state/agent/\(try home.tree.vaultName())"
      let bytes = try home.tree.directory.read(name)
      let other = try SoftwareTPM()
      let foreign = try home.agent("token", "work", "--json", on: other)
      #expect(foreign.failed(1) && foreign.failureCode == "foreign_device", "\(foreign.errorText)")
      #expect(foreign.errorText.contains("agent vault rebind"))
      try home.tree.stopDaemon()
      let none = try home.tree.agent(["token", "work", "--json"], ["TPM2OPENSSL_TCTI": "swtpm:path=/nowhere"])
      #expect(none.failed(1) && none.failureCode == "tpm_unavailable", "\(none.errorText)")
      try home.tree.stopDaemon()
      #expect(try home.issuer.requests() == asked)
      #expect(try home.tree.directory.read(name) == bytes)
      let wrong = try home.agent("vault", "rebind", "--json", "--passphrase-file", home.file("wrong"), on: other)
      #expect(wrong.failed(5) && wrong.failureCode == "wrong_passphrase")
      try home.run("vault", "rebind", "--passphrase-file", home.file("passphrase"), on: other)
      try home.run("token", "work", "--force-refresh", on: other)
      let status = try home.tree.json("vault", "status")
      #expect(status["binding"] == "tpm2")
      try home.tree.stopDaemon()
      try home.run("token", "work", "--force-refresh", on: other)
      try home.tree.stopDaemon()
      #expect(try home.agent("token", "work", "--json").failureCode == "foreign_device")
      #expect(try home.issuer.count("reuse_detected") == 0)
    }
  }

  // MARK: PINs

  @Test func `keeps an account behind a PIN, which only this TPM checks`() throws {
    try TPMHome.with { home in
      try home.signIn("open")
      try home.signIn("shut", "--protect", "tpm2", "--pin-file", home.file("pin"))
      #expect(try home.tree.json("status", "shut")["accounts"]?.array?.first?["protection"] == "tpm2")
      try home.run("token", "shut")
      #expect(try home.tree.json("lock")["locked"] == ["tpm2"])
      let locked = try home.agent("token", "shut", "--json")
      #expect(locked.failed(5) && locked.failureCode == "locked")
      try home.run("token", "open", "--force-refresh")
      let wrong = try home.agent("unlock", "--json", "--pin-file", home.file("wrong"))
      #expect(wrong.failed(5) && wrong.failureCode == "wrong_pin", "\(wrong.errorText)")
      try home.run("unlock", "--pin-file", home.file("pin"))
      try home.run("token", "shut", "--force-refresh")
      try home.tree.stopDaemon()
      #expect(try home.agent("token", "shut").failed(5))
      let program = try WatchedProgram(
        home.tree, columns: 80, home.machine(), [Programs.path("agent"), "unlock", "shut"])
      try program.until("PIN for shut:")
      try program.untilEcho(false)
      try program.type(TPMHome.pin)
      try program.type("^M")
      let end = try program.end()
      #expect(end.status == 0 && !end.raw.contains("4711"), "\(end.raw)")
      try home.run("token", "shut", "--force-refresh")
      #expect(try home.issuer.count("reuse_detected") == 0)
    }
  }

  private static func type(_ pins: [String], in home: TPMHome) throws -> WatchedProgram.Screen {
    let program = try WatchedProgram(home.tree, columns: 200, home.machine(), [Programs.path("agent"), "unlock"])
    for (number, pin) in pins.enumerated() {
      try program.until("PIN for shut:", times: number + 1)
      try program.untilEcho(false)
      try program.type(pin + "\r")
    }
    return try program.end()
  }

  @Test func `asks again for a mistyped PIN, and says that the TPM counts`() throws {
    try TPMHome.with { home in
      try home.signIn("shut", "--protect", "tpm2", "--pin-file", home.file("pin"))
      try home.run("lock")
      let end = try Self.type(["0000", TPMHome.pin], in: home)
      #expect(end.status == 0 && end.raw.contains("the PIN is wrong, try again; after too many"), "\(end.rows)")
    }
  }

  @Test func `opens by a passphrase too when somebody added one, and takes another PIN`() throws {
    try TPMHome.with { home in
      try home.signIn("shut", "--protect", "tpm2", "--pin-file", home.file("pin"))
      try home.run(
        "vault", "add-passphrase", "--protection", "tpm2", "--passphrase-file", home.file("passphrase"))
      try home.run("lock")
      try home.run("unlock", "--passphrase-file", home.file("passphrase"))
      try home.run("token", "shut")
      try home.run(
        "vault", "change-passphrase", "--protection", "tpm2", "--pin-file", home.file("pin"), "--new-pin-file",
        home.file("wrong"))
      try home.run("lock")
      try home.run("unlock", "--pin-file", home.file("wrong"))
      try home.run("token", "shut", "--force-refresh")
      try home.run("vault", "rotate-key", "--passphrase-file", home.file("passphrase"))
      try home.run("lock")
      try home.run("unlock", "--pin-file", home.file("wrong"))
      try home.run("token", "shut", "--force-refresh")
    }
  }

  @Test func `has a TPM that refuses every PIN for a while after too many wrong ones`() throws {
    try TPMHome.with { home in
      try home.signIn("shut", "--protect", "tpm2", "--pin-file", home.file("pin"))
      try home.run("lock")
      var code: String? = "wrong_pin"
      var attempts = 0
      // The TPM determines how many attempts it accepts.
      while code == "wrong_pin", attempts < 64 {
        let result = try home.agent("unlock", "--json", "--pin-file", home.file("wrong"))
        code = result.failureCode
        attempts += 1
        if code == "wrong_pin" { #expect(result.failed(5)) } else { #expect(result.failed(4), "\(result.errorText)") }
      }
      #expect(code == "tpm_locked_out" && attempts > 1)
      #expect(try home.agent("unlock", "--json", "--pin-file", home.file("pin")).failureCode == "tpm_locked_out")
      // The PIN is asked for once, since another attempt could only fail.
      #expect(try Self.type([TPMHome.pin], in: home).status == 4)
    }
  }
}

/// Keys that cannot be copied (RFC 9449, RFC 7523), in a software TPM.
@Suite(.needsPrograms, .needsSoftwareTPM) struct `Keys in a TPM` {
  private func proof(_ home: TPMHome, on other: SoftwareTPM? = nil) throws -> ProcessResult {
    try home.agent("proof", "--json", "\(home.issuer.url)/resource", on: other)
  }

  @Test func `are made where the TPM opens the vault, and are of no use where its state is copied to`() throws {
    try TPMHome.with { home in
      try home.signIn("work", "--dpop")
      try home.run("token", "work", "--force-refresh")
      #expect(try proof(home).succeeded)
      try home.run("account", "set", "work", "--host", home.issuer.url)
      let lent = try home.agent("exec", "--lease", "work", "--", "agent", "request", home.issuer.url + "/resource")
      #expect(lent.succeeded, "\(lent.errorText)")
      let refreshes = try home.issuer.count("refreshes")
      // From here on, a copy of the vault can be decrypted without the TPM and contains the refresh token.
      try home.run("vault", "bind", "--to", "host")
      try home.tree.stopDaemon()
      let other = try SoftwareTPM()
      let copied = try home.agent("token", "work", "--force-refresh", "--json", on: other)
      #expect(copied.failed(3) && copied.failureCode == "interaction_required", "\(copied.errorText)")
      #expect(copied.errorText.contains("agent login work"), "\(copied.errorText)")
      #expect(try home.issuer.count("refreshes") == refreshes)
      try home.tree.stopDaemon()
      try home.run("token", "work", "--force-refresh")
      #expect(try proof(home).succeeded)
      #expect(try home.issuer.count("reuse_detected") == 0)
    }
  }

  @Test func `that are away keep the session, and are told apart from an ended one`() throws {
    try TPMHome.with { home in
      try home.signIn("work", "--dpop")
      try home.tpm.end()
      let away = try home.agent("token", "work", "--force-refresh", "--json")
      #expect(away.failed(1) && away.failureCode == "tpm_unavailable", "\(away.errorText)")
      #expect(away.errorText.contains("agent vault check"), "\(away.errorText)")
      #expect(try proof(home).failureCode == "tpm_unavailable")
      try home.run("token", "work")
      #expect(try home.tree.json("status", "work")["accounts"]?.array?.first?["state"] == "active")
    }
  }

  @Test func `hold up nobody while the TPM does not answer`() throws {
    try TPMHome.with { home in
      try home.signIn("work", "--dpop")
      try home.tpm.signal(19)
      defer { try? home.tpm.signal(18) }
      let waiting = try RunningProcess(
        executable: Programs.path("agent"), arguments: ["proof", "\(home.issuer.url)/resource"],
        environment: home.tree.environment(home.machine()))
      for _ in 0..<3 { #expect(try home.agent("list").succeeded) }
      // Waiting on the loop would have failed before.
      try home.tpm.signal(18)
      #expect(try waiting.wait() == .exited(0))
    }
  }

  @Test func `are those of a client that is registered, too, unless the settings keep them in the vault`() throws {
    try TPMHome.with { home in
      try home.issuer.control("open_registration", "1")
      func signIn(_ name: String, _ options: String...) throws {
        let line = [
          "login", name, "--issuer", home.issuer.url, "--register", "--token-endpoint-auth-method", "private_key_jwt",
          "--allow-http-loopback", "--device",
        ]
        let result = try home.tree.agent(line + options, home.machine())
        try #require(result.succeeded, "\(result.errorText)")
      }
      try signIn("held")
      try signIn("copied", "--key", "vault")
      for name in ["held", "copied"] { try home.run("token", name, "--force-refresh") }
      try home.run("vault", "bind", "--to", "host")
      try home.tree.stopDaemon()
      let other = try SoftwareTPM()
      let held = try home.agent("token", "held", "--force-refresh", "--json", on: other)
      #expect(held.failed(3) && held.errorText.contains("the client's key"), "\(held.errorText)")
      try home.run("token", "copied", "--force-refresh", on: other)
      #expect(try home.issuer.count("client_failures") == 0)
    }
  }

  @Test func `are made in the vault while the TPM is away, and the person is told`() throws {
    try TPMHome.with { home in
      try home.signIn("open")
      try home.tpm.end()
      func login(_ name: String, _ options: String...) throws -> ProcessResult {
        let line = [
          "login", name, "--issuer", home.issuer.url, "--client-id", "agent-cli", "--allow-http-loopback", "--device",
          "--dpop", "--json",
        ]
        return try home.tree.agent(line + options, home.machine())
      }
      let told = "the TPM cannot be reached, so the key"
      let result = try login("work")
      try #require(result.succeeded, "\(result.errorText)")
      let notices = result.lines.filter { $0.contains("\"notice\"") && $0.contains(told) }
      #expect(notices.count == 1, "\(result.outputText)")
      try home.run("token", "work", "--force-refresh")
      // An explicit choice causes no notice, or the error that it is impossible.
      let chosen = try login("chosen", "--key", "vault")
      #expect(chosen.succeeded && !chosen.outputText.contains(told), "\(chosen.errorText)")
      #expect(try login("held", "--key", "tpm2").failureCode == "tpm_unavailable")
    }
  }

  @Test func `are not made in the vault because the TPM refuses to make them`() throws {
    try TPMHome.with { home in
      let lying = try LyingTPM(between: home.tpm, .refusal)
      defer { extendLifetime(lying) }
      func login(_ name: String, _ options: String...) throws -> ProcessResult {
        let line = [
          "login", name, "--issuer", home.issuer.url, "--client-id", "agent-cli", "--allow-http-loopback", "--device",
          "--json",
        ]
        return try home.tree.agent(line + options, ["TPM2OPENSSL_TCTI": lying.connection])
      }
      try #require(try login("open").succeeded)
      try #require(try home.tree.json("vault", "status")["binding"] == "tpm2")
      try lying.refuse()
      for _ in 0..<2 {
        let refused = try login("work", "--dpop")
        #expect(refused.status == .exited(1) && refused.failureCode == "tpm_unavailable", "\(refused.errorText)")
        #expect(refused.failure?["hint"]?.string?.contains("--key vault") == true, "\(refused.errorText)")
      }
      #expect(try home.issuer.count("device_authorizations") == 1)
      #expect(try login("work", "--dpop", "--key", "vault").succeeded)
    }
  }

  @Test func `are not made where there is no TPM, and the person is told before the browser opens`() throws {
    try TPMHome.with { home in
      let line = [
        "login", "work", "--issuer", home.issuer.url, "--client-id", "agent-cli", "--allow-http-loopback", "--device",
        "--dpop", "--key", "tpm2", "--json",
      ]
      let result = try home.tree.agent(line, ["TPM2OPENSSL_TCTI": "swtpm:path=/nowhere"])
      #expect(result.status == .exited(1) && result.failureCode == "tpm_unavailable", "\(result.errorText)")
      #expect(try home.issuer.count("device_authorizations") == 0)
    }
  }
}
