import Crypto
import Platform
import TestSupport
import Testing

@testable import Vault
import Vocabulary

@Suite(.needsSoftwareTPM) struct `A protection by a PIN` {
  let scratch: Scratch
  let tpm: SoftwareTPM
  let vault: Vault

  init() throws {
    scratch = try Scratch()
    tpm = try SoftwareTPM()
    vault = scratch.vault(tpm: .at(tpm.connection))
    try vault.write(alice, "in the background")
    try vault.createProtection(.tpm2, secret: secret("1234"))
    try vault.write(bob, "hidden", .tpm2)
  }

  private func error(_ code: VaultError.Code) -> VaultError { VaultError(code, path: scratch.file(vaultName)) }

  @Test func `what it hides opens only while unlocked`() throws {
    #expect(vault.isUnlocked(.tpm2))
    #expect(try vault.text(of: bob) == "hidden")
    vault.lock()
    #expect(throws: error(.locked(.tpm2))) { try vault.text(of: bob) }
    #expect(try vault.text(of: alice) == "in the background")
    #expect(throws: error(.wrongPIN)) { try vault.unlock(.tpm2, secret: secret("1235")) }
    #expect(throws: error(.locked(.tpm2))) { try vault.text(of: bob) }
    try vault.unlock(.tpm2, secret: secret("1234"))
    #expect(try vault.text(of: bob) == "hidden")
  }

  @Test func `after too many wrong PINs the right one is refused too, as something that passes`() throws {
    vault.lock()
    var last: VaultError?
    for _ in 0..<40 {
      last = #expect(throws: VaultError.self) { try vault.unlock(.tpm2, secret: secret("0000")) }
      if last != error(.wrongPIN) { break }
    }
    #expect(last == error(.tpmLockedOut))
    #expect(throws: error(.tpmLockedOut)) { try vault.unlock(.tpm2, secret: secret("1234")) }
    // An open protection continues to work. Others must wait too: the TPM counts for all keys together.
    #expect(try vault.text(of: alice) == "in the background")
    vault.forgetKeys()
    #expect(throws: error(.tpmLockedOut)) { try vault.text(of: alice) }
  }

  @Test func `needs its TPM`() throws {
    let host = scratch.vault()
    #expect(throws: error(.tpmUnavailable(.noTPM))) { try host.unlock(.tpm2, secret: secret("1234")) }
    let other = try SoftwareTPM()
    #expect(throws: error(.foreignDevice)) {
      try scratch.vault(tpm: .at(other.connection)).unlock(.tpm2, secret: secret("1234"))
    }
    let empty = try Scratch()
    #expect(throws: VaultError(.tpmUnavailable(.noTPM), path: empty.file(vaultName))) {
      try empty.vault().createProtection(.tpm2, secret: secret("1234"))
    }
  }

  @Test func `can have a passphrase as the way back, which costs no try of the TPM`() throws {
    #expect(try vault.addPassphrase(for: .tpm2, secret("way back")).number == 3)
    for _ in 0..<4 {
      vault.lock()
      try vault.unlock(.tpm2, secret: secret("way back"))
    }
    vault.lock()
    try vault.unlock(.tpm2, secret: secret("1234"))
    #expect(try vault.text(of: bob) == "hidden")
    vault.lock()
    #expect(throws: error(.wrongPIN)) { try vault.unlock(.tpm2, secret: secret("neither")) }
  }

  @Test func `keeps its passphrase where the PIN opens nothing`() throws {
    let number = try vault.addPassphrase(for: .tpm2, secret("way back")).number
    try vault.addPassphrase(for: .device, secret("back"))
    let away = scratch.vault()
    try away.unlock(.device, secret: secret("back"))
    #expect(throws: error(.lastSlot(.tpm2))) { try away.removeSlot(number) }
    // On another machine, even with the same TPM, until the protection has another passphrase.
    let moved = scratch.vault(machine: Scratch.otherMachine, tpm: .at(tpm.connection))
    try moved.rebind(passphrase: secret("back"))
    let lastSlot = VaultError(.lastSlot(.tpm2), path: scratch.file(otherVaultName))
    #expect(throws: lastSlot) { try moved.removeSlot(number) }
    try moved.unlock(.tpm2, secret: secret("way back"))
    let second = try moved.addPassphrase(for: .tpm2, secret("another way")).number
    try moved.removeSlot(number)
    #expect(throws: lastSlot) { try moved.removeSlot(second) }
    // The slot that opens nothing may be removed.
    try moved.removeSlot(2)
    moved.lock()
    try moved.unlock(.tpm2, secret: secret("another way"))
    #expect(try moved.text(of: bob) == "hidden")
  }

  @Test func `can do without its passphrase where the PIN opens it`() throws {
    try vault.removeSlot(try vault.addPassphrase(for: .tpm2, secret("way back")).number)
    vault.lock()
    try vault.unlock(.tpm2, secret: secret("1234"))
    #expect(try vault.text(of: bob) == "hidden")
  }

  @Test func `can be changed`() throws {
    try vault.changePassphrase(for: .tpm2, old: secret("1234"), new: secret("a much longer PIN than a TPM would take"))
    vault.lock()
    #expect(throws: error(.wrongPIN)) { try vault.unlock(.tpm2, secret: secret("1234")) }
    try vault.unlock(.tpm2, secret: secret("a much longer PIN than a TPM would take"))
    #expect(try vault.text(of: bob) == "hidden")
    for new in ["", String(repeating: "1", count: 1025)] {
      #expect(throws: error(.unusableSecret)) {
        try vault.changePassphrase(
          for: .tpm2, old: secret("a much longer PIN than a TPM would take"), new: secret(new))
      }
    }
  }

  @Test func `is one of its own beside a passphrase`() throws {
    try vault.createProtection(.passphrase, secret: secret("1234"))
    try vault.write(carol, "other", .passphrase)
    vault.lock()
    try vault.unlock(.passphrase, secret: secret("1234"))
    #expect(try vault.text(of: carol) == "other")
    #expect(throws: error(.locked(.tpm2))) { try vault.text(of: bob) }
  }
}
