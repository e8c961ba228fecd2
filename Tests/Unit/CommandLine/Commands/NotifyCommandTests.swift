import Testing
import Wire

@testable import CommandLine

@Suite struct `The notice about an event` {
  @Test(arguments: [
    (SessionEvent.signedOut(.expired), true), (.signedOut(.revoked), true), (.signedOut(.notKept), true),
    (.signedOut(.user), false), (.signedOut(.removed), false), (.expired(at: 1, isRenewable: false), true),
    (.expired(at: 1, isRenewable: true), false), (.refreshed(expiresAt: nil), false), (.locked, false),
  ]) func `is shown if the session ended by itself`(event: SessionEvent, isShown: Bool) {
    let text = NotifyCommand.text(SessionEntry(time: 0, account: "work", event: event))
    #expect(text?.title.english == (isShown ? "The session of work has ended" : nil))
  }
}
