import Platform
import TestSupport
import Testing

@Suite struct `Signals of this process` {
  @Test func `blocked signals come through the receiver, which wakes a poller`() async {
    await #expect(processExitsWith: .success) {
      let receiver = try Signals.SignalReceiver([Signals.SIGPIPE, Signals.SIGHUP])
      let before = receiver.next()
      #expect(before == nil)
      let poller = try Poller()
      try poller.add(receiver.raw, interest: .read, key: 1)
      // This signal goes to the writing thread, others to any thread of the test runner.
      let pipe = try Pipe()
      let writing = pipe.writing
      try pipe.reading.close()
      #expect(throws: SystemError(errno: SystemError.Number.EPIPE, operation: "write")) {
        try writing.writeAll([1].span)
      }
      #expect(try poller.wait(timeoutMilliseconds: 30_000).map(\.key) == [1])
      let got = [receiver.next(), receiver.next()]
      #expect(got == [Signals.SIGPIPE, nil])
    }
  }

  @Test func `raising a signal ends the process by it even when it was blocked and ignored`() async {
    await #expect(processExitsWith: .signal(Signals.SIGPIPE)) {
      Signals.ignoreFailingWrites()
      Signals.block([Signals.SIGPIPE])
      Signals.raise(Signals.SIGPIPE)
    }
  }

  @Test func `defaults come back`() async {
    await #expect(processExitsWith: .success) {
      Signals.ignoreFailingWrites()
      Signals.block([Signals.SIGTERM])
      Signals.restoreDefaults()
      let status = try StatusFile.ofThisThread()
      #expect(status.signals("SigBlk") == [])
      #expect(status.signals("SigIgn") == [])
    }
  }
}
