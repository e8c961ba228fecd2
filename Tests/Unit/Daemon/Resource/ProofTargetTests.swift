import Testing
import Wire

@testable import Daemon

@Suite struct `The request that a proof is for` {
  private static func target(nonce: String?) throws(Failure) -> ProofTarget {
    try ProofTarget(ProofRequest(method: "GET", url: "https://api.example/me", nonce: nonce))
  }

  @Test(arguments: [nil, "n-1", "!#[]~"]) func `may name a nonce`(nonce: String?) throws {
    #expect(try Self.target(nonce: nonce).nonce == nonce)
  }

  // RFC 9449 section 8.1: a nonce is of NQCHAR.
  @Test(arguments: ["", "two words", "\"quoted\"", "back\\slash", "line\n", "é", String(repeating: "n", count: 1025)])
  func `is refused with what can be no nonce`(nonce: String) {
    let failure = #expect(throws: Failure.self) { _ = try Self.target(nonce: nonce) }
    #expect(failure?.code == .invalidRequest)
  }
}
