package import Platform

/// A started process, with the test's non-blocking ends of its standard streams. Killed and reaped on deinitialization.
struct Child: ~Copyable {
  let processID: Int32
  private(set) var input: FileDescriptor?
  /// The descriptor of `input` while that is open.
  let inputNumber: Int32
  let output: FileDescriptor
  let error: FileDescriptor
  private var isReaped = false

  init(_ request: Spawn.Request) throws(SystemError) {
    // A child that does not read its input must not end the tests.
    Signals.ignoreFailingWrites()
    let input = try Pipe()
    let output = try Pipe()
    let error = try Pipe()
    try input.writing.setNonBlocking(true)
    try output.reading.setNonBlocking(true)
    try error.reading.setNonBlocking(true)
    var request = request
    request.inherits += [(input.reading.raw, 0), (output.writing.raw, 1), (error.writing.raw, 2)]
    processID = try Spawn.start(request)
    inputNumber = input.writing.raw
    self.input = .some(input.writing)
    self.output = output.reading
    self.error = error.reading
  }

  deinit {
    if !isReaped {
      try? Spawn.kill(processID, Signals.SIGKILL)
      _ = try? Spawn.wait(processID)
    }
  }

  mutating func closeInput() { input = nil }

  /// The process has ended or is about to.
  mutating func reap() throws(SystemError) -> ProcessStatus {
    let status = try Spawn.wait(processID)
    isReaped = true
    return status
  }
}

extension FileDescriptor {
  /// Waits until no process has the other end of this pipe or connection. Until its exec, a program that another test
  /// starts has copies of all descriptors, so closing one here may have no effect yet.
  package borrowing func awaitClosingOfOtherEnd() throws(SystemError) {
    let poller = try Poller()
    try poller.add(raw, interest: .none, key: 0)
    if try poller.wait(until: .now.advanced(by: .testLimit)).isEmpty { throw .timedOut(operation: "epoll_wait") }
  }
}
