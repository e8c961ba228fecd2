import Platform
import Testing

@testable import Sessions
import Vocabulary

@Suite struct `The notices about the expiry of a token` {
  @Test(arguments: [(3600, true, 3540.0), (3600, false, 3300), (50, true, 45), (50, false, 25)])
  func `begin earlier where a person must act`(lifetime: Int, isRenewable: Bool, due: Double) throws {
    let notices = ExpiryNotices(try grant("at", lifetime: lifetime), isRenewable: isRenewable)
    #expect(notices.nextNotice(before: at(Double(lifetime))) == at(due))
  }

  @Test func `are given once each, in order`() throws {
    var notices = ExpiryNotices(try grant("at", lifetime: 3600), isRenewable: true)
    #expect(notices.takeNext(at(3600), now: at(3539)) == nil)
    #expect(notices.takeNext(at(3600), now: at(3550)) == .nearEnd(seconds: 50))
    #expect(notices.takeNext(at(3600), now: at(3550)) == nil)
    #expect(notices.nextNotice(before: at(3600)) == at(3600))
    #expect(notices.takeNext(at(3600), now: at(3600)) == .end)
    #expect(notices.takeNext(at(3600), now: at(3601)) == nil)
    #expect(notices.nextNotice(before: at(3600)) == nil)
  }

  @Test func `leave out the first after the end`() throws {
    var notices = ExpiryNotices(try grant("at", lifetime: 3600), isRenewable: true)
    #expect(notices.takeNext(at(3600), now: at(9000)) == .end)
    #expect(notices.nextNotice(before: at(3600)) == nil)
  }

  @Test func `do not exist for an unknown lifetime`() throws {
    var notices = ExpiryNotices(try grant("at", lifetime: nil), isRenewable: false)
    #expect(notices.nextNotice(before: nil) == nil)
    #expect(notices.takeNext(nil, now: at(1_000_000)) == nil)
  }
}

@Suite struct `A cached token` {
  @Test(arguments: [(3600, 0.0, 3450.0), (3600, 1, 3300), (60, 1, 30)])
  func `is renewed some time before its end`(lifetime: Int, jitter: Double, due: Double) throws {
    #expect(try token(lifetime, jitter: jitter).renewalDue == at(due))
  }

  @Test(arguments: [nil, 59]) func `is not renewed where its life is short or unknown`(lifetime: Int?) throws {
    #expect(try token(lifetime).renewalDue == nil)
  }

  @Test(arguments: [(3600, 300.0), (200, 180), (nil, 300)])
  func `is removed from memory by the strict policy alone`(lifetime: Int?, due: Double) throws {
    for policy in RefreshPolicy.allCases {
      #expect(try token(lifetime).removalDue(policy) == (policy == .strict ? at(due) : nil))
    }
  }

  @Test func `serves those for whom it lasts long enough`() throws {
    let token = try token(3600)
    #expect(token.satisfies(TokenNeed(), .proactive, now: at(3540)))
    #expect(!token.satisfies(TokenNeed(), .proactive, now: at(3541)))
    #expect(token.satisfies(TokenNeed(minimumValiditySeconds: 0), .proactive, now: at(3599)))
    #expect(!token.satisfies(TokenNeed(minimumValiditySeconds: 0), .proactive, now: at(3600)))
    #expect(!token.satisfies(TokenNeed(), .strict, now: at(300)))
  }

  private func token(_ lifetime: Int?, jitter: Double = 1) throws -> CachedToken {
    CachedToken(try grant("at", lifetime: lifetime), isRenewable: true, jitter: jitter)
  }
}
