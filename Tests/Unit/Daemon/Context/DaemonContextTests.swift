import Encoding
import WireSupport
import Sessions
import Testing
import Vocabulary
import Wire

@testable import Daemon

@Suite struct `What workers tell of an account` {
  private let home: DaemonHome
  private let broker: TokenBroker
  private let lock = OpenLock()

  init() throws {
    home = try DaemonHome(signedIn: "work", renewals: 1)
    broker = TokenBroker(home.context, lock: lock)
  }

  @Test(arguments: [false, true]) func `is its requests alone while nobody asked for the steps`(isWatched: Bool) throws
  {
    if isWatched { home.context.stepSubscribers.add(.number(9), about: nil) }
    try broker.sendToken(TokenRequest(account: "work"), .number(1))
    home.runJobs()
    #expect(home.sink.lines[1]?.contains("at-1") == true)
    let events = home.context.log.entries.elements.map(\.event)
    let steps = events.compactMap { if case .step(let step) = $0 { step } else { nil } }
    #expect(steps.contains { $0.isRequest })
    #expect(steps.allSatisfy { $0.isRequest } != isWatched)
    #expect(steps.contains(.session(.recordWritten)) == isWatched)
  }
}

private final class OpenLock: TokenLock {
  func refusalAfterIdleCheck(for account: AccountName) -> SessionError? { nil }
  func recordUse(_ level: Protection) {}
  func handleVaultFileChange() {}
}
