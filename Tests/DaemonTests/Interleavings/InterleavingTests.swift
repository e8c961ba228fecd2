import Platform
import Testing

@Suite struct `What happens while something else is under way` {
  private static let places = Interleaving.Work.allCases.flatMap { work in
    Interleaving.Moment.allCases.map { (work, $0) }
  }

  /// Loses no refresh token, answers each request once, hands out nothing of old settings, and leaves nothing behind.
  @Test(arguments: places) func `loses nothing`(work: Interleaving.Work, moment: Interleaving.Moment) throws {
    for (index, event) in Interleaving.Event.allCases.enumerated() {
      let ends = GrantBook.End.allCases
      let first = ends[(index + Self.number(work) + Self.number(moment)) % ends.count]
      let plan = Interleaving(work: work, moment: moment, events: [event], ends: [first])
      let problems = try plan.problems()
      #expect(problems == [], "\(plan)")
    }
  }

  private static func number<Case: CaseIterable & Equatable>(_ value: Case) -> Int {
    Array(Case.allCases).firstIndex(of: value) ?? 0
  }
}
