import OAuth
import Testing

@Suite struct `What servers told about proofs` {
  private let memory = DPoPMemory()

  @Test func `is kept apart by key, role and origin`() throws {
    let (one, other) = (try DPoPKey.generate(), try DPoPKey.generate())
    memory.store(nonce: "n1", for: one, .authorizationServer, origin: "https://a.example")
    #expect(memory.nonce(for: one, .authorizationServer, origin: "https://a.example") == "n1")
    #expect(memory.nonce(for: other, .authorizationServer, origin: "https://a.example") == nil)
    #expect(memory.nonce(for: one, .resourceServer, origin: "https://a.example") == nil)
    #expect(memory.nonce(for: one, .authorizationServer, origin: "https://a.example:8443") == nil)
  }

  @Test func `of the time of a resource does not matter for another server`() throws {
    let (one, other) = (try DPoPKey.generate(), try DPoPKey.generate())
    memory.store(clockOffset: 7, for: one, .resourceServer, origin: "https://a.example")
    #expect(memory.clockOffset(for: one, .resourceServer, origin: "https://a.example") == 7)
    #expect(memory.clockOffset(for: one, .authorizationServer, origin: "https://a.example") == 0)
    #expect(memory.clockOffset(for: one, .resourceServer, origin: "https://b.example") == 0)
    #expect(memory.clockOffset(for: other, .resourceServer, origin: "https://a.example") == 0)
  }

  @Test func `of the time of the authorization server counts for resources that have shown no other`() throws {
    let key = try DPoPKey.generate()
    memory.store(clockOffset: 7, for: key, .resourceServer, origin: "https://a.example")
    memory.store(clockOffset: 600, for: key, .authorizationServer, origin: "https://as.example")
    #expect(memory.clockOffset(for: key, .resourceServer, origin: "https://a.example") == 7)
    #expect(memory.clockOffset(for: key, .resourceServer, origin: "https://b.example") == 600)
    #expect(memory.clockOffset(for: key, .authorizationServer, origin: "https://other.example") == 0)
  }

  @Test func `is replaced by what they tell next`() throws {
    let key = try DPoPKey.generate()
    for nonce in ["n1", "n2"] { memory.store(nonce: nonce, for: key, .resourceServer, origin: "https://a.example") }
    #expect(memory.nonce(for: key, .resourceServer, origin: "https://a.example") == "n2")
  }

  @Test func `is bounded, and the oldest goes first`() throws {
    let key = try DPoPKey.generate()
    func note(_ number: Int) {
      memory.store(nonce: "n\(number)", for: key, .resourceServer, origin: "https://\(number).example")
    }
    func nonce(_ number: Int) -> String? {
      memory.nonce(for: key, .resourceServer, origin: "https://\(number).example")
    }
    for number in 0..<DPoPMemory.capacity { note(number) }
    note(0)
    note(DPoPMemory.capacity)
    #expect(nonce(0) == "n0", "it was heard of again")
    #expect(nonce(1) == nil)
    #expect(nonce(2) == "n2" && nonce(DPoPMemory.capacity) != nil)
  }
}
