import Crypto
import Platform
import TestSupport
import Testing

@testable import Vault
import Vocabulary

@Suite(.needsSoftwareTPM) struct `A vault bound to a TPM` {
  let scratch: Scratch
  let tpm: SoftwareTPM

  init() throws {
    scratch = try Scratch()
    tpm = try SoftwareTPM()
  }

  private var vault: Vault { scratch.vault(tpm: .at(tpm.connection)) }

  private func error(_ code: VaultError.Code) -> VaultError { VaultError(code, path: scratch.file(vaultName)) }

  private let tpmSlot = SlotSummary(number: 1, kind: .tpm2, name: "tpm2", protection: .device)

  @Test func `is what the first use makes, and opens by itself`() throws {
    try vault.write(alice, "in the background")
    #expect(try vault.slots() == [tpmSlot])
    #expect(vault.summary().tpmProblem == nil)
    #expect(try vault.text(of: alice) == "in the background")
  }

  @Test func `does not open with another TPM, and not without`() throws {
    try vault.write(alice, "secret")
    let other = try SoftwareTPM()
    let before = try scratch.bytes(of: vaultName)
    #expect(throws: error(.foreignDevice)) { try scratch.vault(tpm: .at(other.connection)).text(of: alice) }
    #expect(throws: error(.foreignDevice)) { try scratch.vault(tpm: .at(other.connection)).write(alice, "new") }
    #expect(throws: error(.tpmUnavailable(.noTPM))) { try scratch.vault().text(of: alice) }
    #expect(throws: error(.tpmUnavailable(.noProvider))) {
      try scratch.vault(tpm: .at(tpm.connection, module: "/nonexistent/tpm2.so")).text(of: alice)
    }
    #expect(throws: error(.tpmUnavailable(.unreachable))) {
      try scratch.vault(tpm: .at("swtpm:path=/nonexistent/s")).text(of: alice)
    }
    #expect(try scratch.bytes(of: vaultName) == before)
    try tpm.end()
    #expect(throws: error(.tpmUnavailable(.unreachable))) { try vault.write(alice, "new") }
    #expect(try scratch.bytes(of: vaultName) == before)
  }

  @Test func `does not open with the right TPM on another machine, for another user or with another secret`() throws {
    try vault.write(alice, "secret")
    try scratch.put(scratch.bytes(of: vaultName), as: otherVaultName)
    let access = TPMAccess.at(tpm.connection)
    #expect(throws: VaultError(.foreignDevice, path: scratch.file(otherVaultName))) {
      try scratch.vault(machine: Scratch.otherMachine, tpm: access).text(of: alice)
    }
    #expect(throws: error(.foreignDevice)) { try scratch.vault(user: 1, tpm: access).text(of: alice) }
    // Even without its TPM it is recognized as another device's.
    #expect(throws: error(.foreignDevice)) { try scratch.vault(user: 1).text(of: alice) }
    try scratch.put([UInt8](repeating: 7, count: 32), as: "device.key")
    #expect(throws: error(.foreignDevice)) { try vault.text(of: alice) }
    try scratch.remove("device.key")
    #expect(throws: VaultError(.deviceSecretMissing, path: scratch.file("device.key"))) { try vault.text(of: alice) }
  }

  @Test func `is bound to the host where the TPM is of no use, and says why`() throws {
    let cases: [(TPMAccess, TPMProblem)] = [
      (.none, .noTPM), (.at(""), .badSetting), (.at(tpm.connection, module: "/nonexistent/tpm2.so"), .noProvider),
      (.at("swtpm:path=/nonexistent/s"), .unreachable), (.at("device:/dev/null"), .unreachable),
    ]
    for (access, problem) in cases {
      let scratch = try Scratch()
      let vault = scratch.vault(tpm: access)
      try vault.write(alice, "x")
      #expect(try vault.slots() == [hostSlot])
      #expect(vault.summary().tpmProblem == problem)
      #expect(throws: VaultError(.tpmUnavailable(problem), path: scratch.file(vaultName))) { try vault.bind(.tpm2) }
      #expect(try vault.slots() == [hostSlot])
    }
  }

  @Test func `is never bound to a TPM that finds another secret than ours`() throws {
    let lying = try LyingTPM(between: tpm)
    defer { extendLifetime(lying) }
    let vault = scratch.vault(tpm: .at(lying.connection))
    try vault.write(alice, "x")
    #expect(try vault.slots() == [hostSlot])
    #expect(vault.summary().tpmProblem == .refused)
    #expect(throws: error(.tpmUnavailable(.refused))) { try vault.bind(.tpm2) }
    #expect(try vault.text(of: alice) == "x")
  }

  @Test func `can be made of one that is bound to the host, and back`() throws {
    try scratch.vault().write(alice, "x")
    #expect(try vault.bind(.tpm2).number == 2)
    #expect(try vault.slots().map(\.name) == ["tpm2"])
    #expect(throws: error(.tpmUnavailable(.noTPM))) { try scratch.vault().text(of: alice) }
    #expect(try vault.text(of: alice) == "x")
    #expect(try vault.bind(.host).number == 3)
    #expect(try scratch.vault().text(of: alice) == "x")
  }

  @Test func `opens after new keys without the TPM's help for them`() throws {
    try vault.write(alice, "x")
    let open = vault
    #expect(try open.text(of: alice) == "x")
    try open.createProtection(.tpm2, secret: secret("1234"))
    try open.write(bob, "behind a PIN", .tpm2)
    #expect(try open.rotateKeys(secrets: [:]) == [.device, .tpm2])
    let fresh = vault
    #expect(try fresh.text(of: alice) == "x")
    try fresh.unlock(.tpm2, secret: secret("1234"))
    #expect(try fresh.text(of: bob) == "behind a PIN")
  }

  @Test func `comes back by its passphrase when the TPM is another`() throws {
    let old = vault
    try old.write(alice, "x")
    try old.addPassphrase(for: .device, secret("back"))
    let other = try SoftwareTPM()
    let moved = scratch.vault(tpm: .at(other.connection))
    #expect(throws: error(.foreignDevice)) { try moved.text(of: alice) }
    #expect(try moved.rebind(passphrase: secret("back")).map(\.name) == ["passphrase", "tpm2"])
    #expect(try scratch.vault(tpm: .at(other.connection)).text(of: alice) == "x")
    #expect(throws: error(.foreignDevice)) { try vault.text(of: alice) }
  }

  @Test func `keeps its passphrase when the TPM is another, or away`() throws {
    try vault.write(alice, "x")
    try vault.addPassphrase(for: .device, secret("back"))
    let other = try SoftwareTPM()
    let others: [TPMAccess] = [.at(other.connection), .none]
    for access in others {
      let moved = scratch.vault(tpm: access)
      try moved.unlock(.device, secret: secret("back"))
      #expect(throws: error(.lastSlot(.device))) { try moved.removeSlot(2) }
    }
    try vault.removeSlot(2)
    #expect(try vault.text(of: alice) == "x")
  }

  @Test func `is looked at with its TPM, and without`() throws {
    try vault.write(alice, "x")
    #expect(try vault.check()?.slots.map(\.state) == [.opens])
    #expect(try scratch.vault().check()?.slots.map(\.state) == [.unavailable(.noTPM)])
    let other = try SoftwareTPM()
    #expect(try scratch.vault(tpm: .at(other.connection)).check()?.slots.map(\.state) == [.foreign])
  }

  @Test func `a TPM that does not answer stops nobody for long`() async throws {
    // In a separate process: otherwise other tests would have to wait.
    let (path, connection) = (scratch.path, tpm.connection)
    let process = "\(tpm.processID)"
    await #expect(processExitsWith: .success) {
      [path = path as String, connection = connection as String, process = process as String] in
      let process = try #require(Int32(process))
      func vault(wait: Duration = .milliseconds(500)) -> Vault {
        let access = TPMAccess.at(connection, wait: wait)
        return Vault(stateDirectory: path, machineIdentity: Scratch.machine, userID: Scratch.user, tpm: access)
      }
      try vault(wait: .testLimit).write(alice, "x")
      try Spawn.kill(process, Signals.SIGSTOP)
      let error = VaultError(.tpmUnavailable(.noAnswer), path: "\(path)/\(vaultName)")
      // The TPM continues only afterwards.
      for _ in 0..<5 { #expect(throws: error) { try vault().text(of: alice) } }
      #expect(vault().summary().exists)
      try Spawn.kill(process, Signals.SIGCONT)
      // The blocked call ends now, and the next one can run.
      var text: String?
      for _ in 0..<1000 where text == nil {
        text = try? vault().text(of: alice)
        if text == nil { Threads.sleep(for: .milliseconds(10)) }
      }
      #expect(text == "x")
    }
  }

  @Test func `a slot that is damaged in the file is damage, not another device`() throws {
    try vault.write(alice, "x")
    let whole = try scratch.bytes(of: vaultName)
    for index in stride(from: 0, to: whole.count - 17, by: 13) {
      var bytes = whole
      bytes[index] ^= 1
      try scratch.put(bytes, as: vaultName)
      #expect(throws: error((8..<14).contains(index) ? .unsupportedVersion : .damaged)) { try vault.text(of: alice) }
    }
  }

  @Test func `the right TPM alone opens nothing, whatever the slot says of its place`() throws {
    let binding = TPMBinding(.at(tpm.connection))
    let key = try DataKey.new(for: .device, header: VaultHeader.new(), epoch: 1)
    let context = SlotContext(number: 1, kind: .tpm2, for: key)
    let own = HostBinding(machineIdentity: Scratch.machine, userID: Scratch.user)
    let mine = try SecretBytes.random(32)
    let other = try SecretBytes.random(32)
    let body = try TPMSlotBody(binding.wrap(key, own, under: mine, pin: SecretBytes(), for: context))
    let opened = try binding.unwrap(body.bytes, own, under: mine, pin: SecretBytes(), for: context)
    let isSame = opened.isEqual(to: key.secret)
    #expect(isSame)
    /// The slot with another device's derived bytes.
    func claim(_ host: HostBinding, _ secret: borrowing SecretBytes) throws -> [UInt8] {
      let there = try TPMSlotBody(binding.wrap(key, host, under: secret, pin: SecretBytes(), for: context))
      #expect(there.deviceTag != body.deviceTag)
      return TPMSlotBody(
        deviceTag: there.deviceTag, salt: body.salt, tpmPoint: body.tpmPoint, ownPoint: body.ownPoint,
        wrapped: body.wrapped,
        key: body.key
      ).bytes
    }
    #expect(throws: VaultError(.foreignDevice)) {
      _ = try binding.unwrap(claim(own, other), own, under: other, pin: SecretBytes(), for: context)
    }
    for host in [
      HostBinding(machineIdentity: Scratch.otherMachine, userID: Scratch.user),
      HostBinding(machineIdentity: Scratch.machine, userID: Scratch.user + 1),
    ] {
      #expect(throws: VaultError(.foreignDevice)) {
        _ = try binding.unwrap(claim(host, mine), host, under: mine, pin: SecretBytes(), for: context)
      }
    }
  }
}
