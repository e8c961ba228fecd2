import OAuth
import Sessions
import Testing

@Suite struct `An origin that refuses tokens` {
  private let api: ResourceOrigin
  private let other: ResourceOrigin

  init() throws {
    api = try #require(ResourceOrigin("https://api.example", allowHTTPLoopback: false))
    other = try #require(ResourceOrigin("https://other.example", allowHTTPLoopback: false))
  }

  @Test func `is worth one refresh, and no other for five minutes when it refuses the fresh token too`() {
    var refusals = OriginRefusals()
    #expect(!refusals.arePermanent(at: api, now: at(0)))
    refusals.recordRefusal(by: api, generation: 1, now: at(0))
    #expect(!refusals.arePermanent(at: api, now: at(0)))
    refusals.recordRefusal(by: api, generation: 2, now: at(1))
    #expect(refusals.arePermanent(at: api, now: at(300)))
    #expect(!refusals.arePermanent(at: other, now: at(2)))
    #expect(!refusals.arePermanent(at: api, now: at(301)))
  }

  @Test func `is not taken for one that refuses a fresh token when it refuses the same token again`() {
    var refusals = OriginRefusals()
    refusals.recordRefusal(by: api, generation: 2, now: at(0))
    refusals.recordRefusal(by: api, generation: 2, now: at(1))
    // The response to a request that was sent before the renewal.
    refusals.recordRefusal(by: api, generation: 1, now: at(2))
    #expect(!refusals.arePermanent(at: api, now: at(3)))
  }

  @Test func `is forgotten when it accepts a token, and when the token is renewed for another reason`() {
    var refusals = OriginRefusals()
    refusals.recordRefusal(by: api, generation: 1, now: at(0))
    refusals.recordAcceptance(by: api)
    refusals.recordRefusal(by: api, generation: 2, now: at(1))
    #expect(!refusals.arePermanent(at: api, now: at(1)))
    refusals.recordRenewal()
    refusals.recordRefusal(by: api, generation: 3, now: at(2))
    #expect(refusals.arePermanent(at: api, now: at(2)))
    refusals.recordRenewal()
    #expect(!refusals.arePermanent(at: api, now: at(2)))
  }

  @Test func `is remembered when another origin's refusal renews the token`() {
    var refusals = OriginRefusals()
    refusals.recordRefusal(by: api, generation: 1, now: at(0))
    refusals.recordRenewal()
    refusals.recordRefusal(by: api, generation: 2, now: at(1))
    refusals.recordRefusal(by: other, generation: 2, now: at(2))
    refusals.recordRenewal()
    #expect(refusals.arePermanent(at: api, now: at(3)))
  }

  @Test func `is one of at most 64 that are remembered`() throws {
    var refusals = OriginRefusals()
    for number in 0...64 {
      let origin = try #require(ResourceOrigin("https://a\(number).example", allowHTTPLoopback: false))
      refusals.recordRefusal(by: origin, generation: 1, now: at(Double(number)))
      refusals.recordRefusal(by: origin, generation: 2, now: at(Double(number)))
    }
    let first = try #require(ResourceOrigin("https://a0.example", allowHTTPLoopback: false))
    let last = try #require(ResourceOrigin("https://a64.example", allowHTTPLoopback: false))
    #expect(!refusals.arePermanent(at: first, now: at(65)))
    #expect(refusals.arePermanent(at: last, now: at(65)))
  }
}
