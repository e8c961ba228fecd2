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
      // The background goes on without anybody, also with a new daemon.
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
      try program.until("PIN:")
      try program.untilEcho(false)
      try program.type(TPMHome.pin)
      try program.type("^M")
      let end = try program.end()
      #expect(end.status == 0 && !end.raw.contains("4711"), "\(end.raw)")
      try home.run("token", "shut", "--force-refresh")
      #expect(try home.issuer.count("reuse_detected") == 0)
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
      // How many it takes is the TPM's to say.
      while code == "wrong_pin", attempts < 64 {
        let result = try home.agent("unlock", "--json", "--pin-file", home.file("wrong"))
        code = result.failureCode
        attempts += 1
        if code == "wrong_pin" { #expect(result.failed(5)) } else { #expect(result.failed(4), "\(result.errorText)") }
      }
      #expect(code == "tpm_locked_out" && attempts > 1)
      #expect(try home.agent("unlock", "--json", "--pin-file", home.file("pin")).failureCode == "tpm_locked_out")
    }
  }
}
