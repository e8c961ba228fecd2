import Platform
import Testing

@Suite struct `Without a terminal` {
  @Test func `a pipe is none and has no width`() throws {
    let pipe = try Pipe()
    #expect(!Terminal.isTerminal(pipe.reading.raw))
    #expect(Terminal.width(pipe.reading.raw) == nil)
  }

  @Test func `echo cannot be turned off, and nothing is read`() throws {
    let pipe = try Pipe()
    // ENOTTY is 25 on all supported machines.
    #expect(throws: SystemError(errno: 25, operation: "tcsetattr")) {
      try Terminal.withoutEcho(on: pipe.reading) { () throws(SystemError) in Issue.record("this ran") }
    }
  }
}
