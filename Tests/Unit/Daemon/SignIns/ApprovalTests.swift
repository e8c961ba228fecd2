import Platform
import TestSupport
import Testing

@testable import Daemon

@Suite struct `An approval` {
  @Test func `is given once, and after that it cannot be given up`() {
    let approval = Approval()
    #expect(!approval.isApproved)
    #expect(approval.approve() && approval.isApproved)
    #expect(!approval.cancel() && approval.isApproved)
    #expect(approval.approve())
  }

  @Test func `that was given up is never given`() {
    let approval = Approval()
    #expect(approval.cancel() && approval.cancel())
    #expect(!approval.approve() && !approval.isApproved)
  }

  @Test func `has one outcome, however closely two want another`() throws {
    for _ in 1...500 {
      let approval = Approval()
      let outcomes = WorkQueue<Bool>()
      try Threads.start(name: "give") { outcomes.push(approval.approve()) }
      try Threads.start(name: "give-up") { outcomes.push(approval.cancel()) }
      let won = [outcomes.pop(wait: .testLimit), outcomes.pop(wait: .testLimit)].count { $0 == true }
      #expect(won == 1)
    }
  }
}
