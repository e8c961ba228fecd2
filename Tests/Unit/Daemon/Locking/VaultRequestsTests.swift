import Crypto
import Encoding
import WireSupport
import Platform
import Sessions
import TestSupport
import Testing
import Vault
import Vocabulary
import Wire

@testable import Daemon

@Suite struct `A request to the vault` {
  private let home: DaemonHome
  private let parts: DaemonParts

  init() throws {
    home = try DaemonHome()
    parts = try DaemonParts(home.context)
    try home.createPassphrase(parts.vault, 0)
  }

  private func request(_ request: VaultRequest, _ number: Int, secrets: String...) throws {
    let passed = try secrets.map { SharedDescriptor(try FileDescriptor.inMemory(Array($0.utf8).span)) }
    try parts.vault.handle(request, .number(number), passed: passed)
    home.runJobs()
  }

  private func slots(_ number: Int) throws -> [JSON] {
    try request(.status, number)
    return try #require(home.sink.results[number]?["slots"]?.array)
  }

  @Test func `brings all the secrets that it names`() throws {
    let failure = #expect(throws: Failure.self) {
      try request(.rotateKey(slots: [1, 2]), 1, secrets: "open sesame")
    }
    #expect(failure?.code == .invalidRequest)
  }

  @Test func `that is not carried out fails, and is not logged`() throws {
    let logged = home.logged
    try request(.create(.passphrase), 1, secrets: "another")
    try request(.changePassphrase(.passphrase), 2, secrets: "open barley", "another")
    try request(.removeSlot(200), 3)
    try request(.unlock(.passphrase), 4, secrets: "another")
    let codes = (1...4).map { home.sink.failures[$0]?.code }
    #expect(codes == [.invalidRequest, .wrongPassphrase, .noSuchSlot, .wrongPassphrase])
    #expect(home.sink.results.keys.allSatisfy { $0 == 0 } && home.logged == logged)
  }

  @Test func `that is carried out is logged`() throws {
    try request(.addPassphrase(.passphrase), 1, secrets: "another")
    let added = try #require(home.sink.results[1]?["slot"]?.int)
    try request(.changePassphrase(.passphrase), 2, secrets: "another", "a third")
    try request(.removeSlot(added), 3)
    #expect(home.sink.results[2] == ["protection": "passphrase"] && home.sink.results[3] == ["slot": .int(added)])
    let changes: [LogEvent] = [.passphraseAdded, .passphraseChanged, .slotRemoved].map { .vaultChanged($0) }
    #expect(Array(home.logged.suffix(3)) == changes)
    try request(.lock, 4)
    try request(.unlock(.passphrase), 5, secrets: "a third")
    #expect(home.sink.failures[5]?.code == .wrongPassphrase)
  }

  // Key rotation asks for the secrets of these slots.
  @Test func `for the status tells which slots need their secret for new keys`() throws {
    let open = try slots(1)
    #expect(open.filter { $0["needs_secret"] == true } == open.filter { $0["kind"] == "passphrase" })
    #expect(open.count == 2 && open.contains { $0["needs_secret"] == true })
    try request(.lock, 2)
    let locked = try slots(3)
    #expect(locked.count == 2 && !locked.contains { $0["needs_secret"] != nil })
  }
}
