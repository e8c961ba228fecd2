import Crypto
import OAuth
import WireSupport
import Sessions
import Testing
import Vault
import Vocabulary
import Wire

@testable import Daemon

@Suite struct `Requests that receive steps` {
  fileprivate let first = Ticket(connection: 1, serial: 1)
  private let second = Ticket(connection: 2, serial: 1)

  fileprivate func entry(_ account: String?) -> LogEntry { LogEntry(time: 0, account: account, event: .started) }

  @Test func `are told of the account that they ask about, and no other`() throws {
    var subscribers = StepSubscribers()
    subscribers.add(first, about: try AccountName("work"))
    subscribers.add(second, about: nil)
    #expect(Set(subscribers.tickets(for: entry("work"))) == [first, second])
    #expect(subscribers.tickets(for: entry("home")) == [second])
    // Entries without an account concern other peers or the daemon.
    #expect(subscribers.tickets(for: entry(nil)) == [])
  }

  @Test func `are told nothing after their answer`() throws {
    var subscribers = StepSubscribers()
    subscribers.add(first, about: nil)
    subscribers.remove(second)
    #expect(!subscribers.isEmpty)
    subscribers.remove(first)
    #expect(subscribers.isEmpty && subscribers.tickets(for: entry("work")) == [])
  }

  @Test func `are the only ones for whom workers tell anything`() throws {
    var subscribers = StepSubscribers()
    let isWatched = subscribers.anyRequestFlag
    #expect(!isWatched.isSet)
    subscribers.add(first, about: nil)
    subscribers.add(second, about: nil)
    subscribers.remove(first)
    #expect(isWatched.isSet)
    subscribers.remove(second)
    #expect(!isWatched.isSet)
  }
}

extension `Requests that receive steps` {
  @Test func `are told of one account once it is known whose`() throws {
    var subscribers = StepSubscribers()
    subscribers.add(first, about: nil)
    subscribers.narrow(first, to: try AccountName("work"))
    #expect(subscribers.tickets(for: entry("work")) == [first])
    #expect(subscribers.tickets(for: entry("home")) == [])
    subscribers.remove(first)
    subscribers.narrow(first, to: try AccountName("work"))
    #expect(subscribers.isEmpty)
  }
}

@Suite struct `What ends the work for a request` {
  @Test func `is forgotten with the answer`() throws {
    let context = try DaemonHome().context
    let first = context.cancellation(of: .number(1))
    #expect(context.cancellation(of: .number(1)) === first)
    context.didAnswer(.number(1))
    #expect(context.cancellation(of: .number(1)) !== first)
  }
}

@Suite struct `What is observed of a session` {
  private static let line = RequestLine(.token, "POST", url: "https://as.example/token")

  @Test(arguments: [
    (SessionObservation.step(.recordRead), LogEvent.step(.session(.recordRead))),
    (
      .unanswered(line, HTTPFailure(.timeout), milliseconds: 7),
      .step(.unanswered(line, .timeout, nil, milliseconds: 7))
    ),
    (
      .unanswered(line, HTTPFailure(.certificate, .selfSigned), milliseconds: 1),
      .step(.unanswered(line, .certificateRejected, .selfSigned, milliseconds: 1))
    ),
    (
      .unanswered(line, HTTPFailure(.connect, .refused), milliseconds: 1),
      .step(.unanswered(line, .network, .refused, milliseconds: 1))
    ),
    (.keySetWarned(.privateKey), .keySetWarning(.privateKey)),
    (.keySetWarned(.symmetricKey), .keySetWarning(.symmetricKey)), (.keysUnusable, .keySetWarning(.unusableKey)),
    (.authenticationTimeChanged, .authenticationTimeChanged),
    (.endpointMoved, .endpointMoved),
  ]) func `is told in the words of the log`(observation: SessionObservation, told: LogEvent) {
    #expect(LogEvent(observation) == told)
  }
}
