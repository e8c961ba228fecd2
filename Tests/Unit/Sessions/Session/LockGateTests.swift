import OAuth
import Platform
import TestSupport
import Testing
import Vault

@testable import Sessions
import Vocabulary

@Suite struct `The gate between locking and writing` {
  @Test func `keeps a lock waiting for whoever is inside, and others away meanwhile`() throws {
    let gate = LockGate()
    #expect(gate.enter(.passphrase))
    let steps = Monitor<[String]>([])
    try Threads.start(name: "lock") {
      gate.close([.passphrase, .tpm2]) { steps.update { $0.append("wiped") } }
      steps.update { $0.append("open") }
    }
    // The thread has closed it when entering fails.
    while gate.enter(.tpm2) { gate.leave(.tpm2) }
    #expect(!gate.enter(.passphrase))
    #expect(gate.enter(.device), "the device's level is not the one that is locked")
    gate.leave(.device)
    #expect(steps.withLock { $0 } == [])
    // Work that must write is admitted as long as there are keys.
    #expect(gate.enter(.passphrase, mustWrite: true))
    gate.leave(.passphrase)
    #expect(steps.withLock { $0 } == [])
    gate.leave(.passphrase)
    let end = steps.wait(.testLimit) { $0.count == 2 ? $0 : nil }
    #expect(end == ["wiped", "open"])
    #expect(gate.enter(.passphrase))
  }

  @Test func `tells what it cancelled that the vault is locked, and nothing else`() throws {
    let services = try Home().services
    func failing(_ error: SessionError, while isClosed: Bool) -> SessionError? {
      #expect(throws: SessionError.self) {
        try services.withUnlockedLevel(.passphrase) { (_) throws(SessionError) -> Void in
          if isClosed {
            try? Threads.start(name: "lock") { services.gate.close([.passphrase]) {} }
            while !services.gate.isClosed(.passphrase) { Threads.sleep(for: .milliseconds(1)) }
          }
          throw error
        }
      }
    }
    let locked = SessionError.vault(VaultError(.locked(.passphrase)))
    #expect(failing(.cancelled, while: false) == .cancelled)
    #expect(failing(.cancelled, while: true) == locked)
    // Waits until the level is open again.
    services.gate.close([.passphrase]) {}
    #expect(failing(.signedOut(account: "work"), while: true) == .signedOut(account: "work"))
  }

  @Test func `cancels who spends nothing, and wipes the keys when the limit is over, whoever is inside`() {
    let gate = LockGate()
    let (idle, spending) = (Cancellation(), Cancellation())
    spending.beginSpending()
    #expect(gate.enter(.passphrase, idle) && gate.enter(.passphrase, spending))
    var isWiped = false
    gate.close([.passphrase], within: .milliseconds(1)) { isWiped = true }
    #expect(isWiped && idle.isCancelled && !spending.isCancelled)
    #expect(gate.enter(.passphrase))
  }

  @Test func `cancels what it waits for, but for what spends something`() throws {
    let services = try Home().services
    let (waiting, spending) = (Cancellation(), Cancellation())
    let isInside = Monitor(0)
    let ended = Monitor<[String]>([])
    func start(_ name: String, _ cancellation: Cancellation) throws {
      try Threads.start(name: name) {
        do throws(SessionError) {
          try services.withUnlockedLevel(.passphrase, cancellation) { (_) throws(SessionError) in
            isInside.update { $0 += 1 }
            let deadline = Instant.now.advanced(by: name == "spending" ? .milliseconds(200) : .testLimit)
            while !cancellation.isCancelled, Instant.now < deadline { Threads.sleep(for: .milliseconds(1)) }
            if cancellation.isCancelled { throw .cancelled }
          }
          ended.update { $0.append("\(name) done") }
        } catch {
          ended.update { $0.append("\(name) \(error.isLocked ? "locked" : "failed")") }
        }
      }
    }
    try start("waiting", waiting)
    spending.beginSpending()
    try start("spending", spending)
    _ = isInside.wait(.testLimit) { $0 == 2 ? true : nil }
    services.gate.close([.passphrase]) {}
    #expect(waiting.isCancelled && !spending.isCancelled)
    #expect(ended.wait(.testLimit) { $0.count == 2 ? $0 : nil } == ["waiting locked", "spending done"])
  }

  @Test func `lets nobody in while the keys go`() {
    let gate = LockGate()
    gate.close([.passphrase]) {
      #expect(!gate.enter(.passphrase))
      #expect(!gate.enter(.passphrase, mustWrite: true))
      #expect(gate.enter(.tpm2))
      gate.leave(.tpm2)
    }
    #expect(gate.enter(.passphrase, mustWrite: true))
  }
}

extension LockGate {
  /// Closes these levels, and runs `body` once no operation is inside.
  func close(_ levels: Set<Protection>, within limit: Duration = .testLimit, _ body: () -> Void) {
    close(levels)
    wipe(levels, within: limit, body)
  }
}
