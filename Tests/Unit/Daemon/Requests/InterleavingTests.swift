import Wire
import WireSupport
import Platform
import Testing

@Suite struct `What happens while something else is under way` {
  private static let places = Interleaving.Work.allCases.flatMap { work in
    Interleaving.Moment.allCases.map { (work, $0) }
  }

  /// Loses no refresh token, answers each request once, serves nothing of old settings, and leaves nothing behind.
  @Test(arguments: places) func `loses nothing`(work: Interleaving.Work, moment: Interleaving.Moment) throws {
    for (index, event) in Interleaving.Event.allCases.enumerated() {
      let ends = GrantBook.End.allCases
      let first = ends[(index + Self.number(work) + Self.number(moment)) % ends.count]
      let plan = Interleaving(work: work, moment: moment, events: [event], ends: [first])
      let problems = try plan.problems()
      #expect(problems == [], "\(plan)")
    }
  }

  @Test(arguments: Interleaving.Moment.allCases)
  func `serves no token of an account that was deleted from the settings while it waits for a rename`(
    moment: Interleaving.Moment
  ) throws {
    for work in [Interleaving.Work.refresh, .target, .exchange] {
      let plan = Interleaving(work: work, moment: moment, events: [.rename, .settingsGone], ends: [.sameToken])
      let problems = try plan.problems()
      #expect(problems == [], "\(plan)")
    }
  }

  private static let drawn = Environment.value("AGENT_INTERLEAVINGS").flatMap(UInt64.init)
  private static let mostDrawn = 400

  /// With two more random events from the seed `AGENT_INTERLEAVINGS`, for `make stress`.
  @Test(.enabled(if: drawn != nil)) func `loses nothing when two more things happen`() throws {
    var state = Self.drawn ?? 0
    func draw<Case>(_ cases: [Case]) -> Case {
      // A linear congruential generator with the constants of MMIX.
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return cases[Int(state >> 33) % cases.count]
    }
    for _ in 0..<Self.mostDrawn {
      let plan = Interleaving(
        work: draw(Interleaving.Work.allCases), moment: draw(Interleaving.Moment.allCases),
        events: [draw(Interleaving.Event.allCases), draw(Interleaving.Event.allCases)],
        ends: [draw(GrantBook.End.allCases), draw(GrantBook.End.allCases)])
      let problems = try plan.problems()
      #expect(problems == [], "\(plan), seed \(Self.drawn ?? 0)")
    }
  }

  private static func number<Case: CaseIterable & Equatable>(_ value: Case) -> Int {
    Array(Case.allCases).firstIndex(of: value) ?? 0
  }
}
