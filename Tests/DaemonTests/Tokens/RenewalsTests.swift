import Sessions
import Testing

@testable import Daemon
import Vocabulary

@Suite struct `Renewals that nobody waits for` {
  @Test func `are a few at a time for one server, and leave room for others`() {
    let renewals = Renewals()
    var held: [Renewals.Place] = []
    while let place = renewals.place(at: "https://slow.example") { held.append(place) }
    #expect(held.count == RefreshPolicy.mostRenewalsPerServer)
    #expect(renewals.place(at: "https://other.example") != nil)
    held.removeLast()
    #expect(renewals.place(at: "https://slow.example") != nil)
  }

  @Test func `are bounded in all`() {
    let renewals = Renewals()
    var held: [Renewals.Place] = []
    for number in 0..<1000 {
      if let place = renewals.place(at: "https://\(number).example") { held.append(place) }
    }
    #expect(held.count == RefreshPolicy.mostRenewals)
    // A removed account releases its place.
    held = []
    #expect(renewals.place(at: "https://0.example") != nil)
  }
}
