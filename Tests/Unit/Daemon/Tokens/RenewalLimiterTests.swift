import Sessions
import Testing

@testable import Daemon
import Vocabulary

@Suite struct `Renewals that nobody waits for` {
  @Test func `are a few at a time for one server, and leave room for others`() {
    let renewals = RenewalLimiter()
    var held: [RenewalLimiter.Permit] = []
    while let permit = renewals.permit(at: "https://slow.example") { held.append(permit) }
    #expect(held.count == RefreshPolicy.maximumRenewalsPerServer)
    #expect(renewals.permit(at: "https://other.example") != nil)
    held.removeLast()
    #expect(renewals.permit(at: "https://slow.example") != nil)
  }

  @Test func `are bounded in all`() {
    let renewals = RenewalLimiter()
    var held: [RenewalLimiter.Permit] = []
    for number in 0..<1000 {
      if let permit = renewals.permit(at: "https://\(number).example") { held.append(permit) }
    }
    #expect(held.count == RefreshPolicy.maximumRenewals)
    // A removed account releases its permit.
    held = []
    #expect(renewals.permit(at: "https://0.example") != nil)
  }
}
