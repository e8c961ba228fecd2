internal import Encoding
internal import Platform
internal import Wire

/// A check of tokens by way of the daemon: it reads them itself, unless they are typed, and what came of each comes
/// through a pipe beside the socket, so that no number of them is too many.
struct VerifyConversation {
  private let client: DaemonClient

  init(_ client: DaemonClient) { self.client = client }

  /// How many tokens came to what.
  struct Tally: Hashable {
    var tokens: Int
    var notValid: Int
    var undecided: Int
  }

  private static let notOfThisProtocol = Failure(
    .internalError, "the daemon's answer is not of this version's protocol", hint: "agent daemon restart")

  /// - Parameters:
  ///   - passed: What goes with the request before the tokens and the place for the results: the keys, if any.
  ///   - tell: Gets the results, in blocks of whole lines.
  func run(
    _ request: VerifyRequest, of tokens: TokenReader, over connection: consuming DaemonConnection,
    passing passed: [SharedDescriptor],
    tell: (LineBlocks.Block) throws(Failure) -> Void
  ) throws(Failure) -> Tally {
    var connection = connection
    let tally: Tally
    do {
      var typed: TypedTokens?
      let pipe: FileDescriptor
      if tokens.isTyped {
        let typing = try Self.pipe()
        typed = TypedTokens(tokens, into: SharedDescriptor(typing.writing))
        pipe = try send(request, passed + [SharedDescriptor(typing.reading)], over: connection)
      } else {
        pipe = try send(request, passed + [tokens.source], over: connection)
      }
      tally = try receive(pipe, &connection, &typed, tell)
    } catch {
      connection.finish()
      throw error
    }
    connection.finish()
    return tally
  }

  /// - Returns: The end of the pipe that the results come out of. The daemon's copy of the other end is the only one.
  private func send(
    _ request: VerifyRequest, _ passed: [SharedDescriptor], over connection: borrowing DaemonConnection
  ) throws(Failure) -> FileDescriptor {
    let pipe = try Self.pipe()
    _ = client.tellAsking(.verify(request))
    try connection.send(client.envelope(.verify(request)), passing: passed + [SharedDescriptor(pipe.writing)])
    return pipe.reading
  }

  private static func pipe() throws(Failure) -> Pipe {
    do { return try Pipe() } catch { throw Failure(error, doing: "the tokens could not be handed over") }
  }

  private func receive(
    _ pipe: borrowing FileDescriptor, _ connection: inout DaemonConnection, _ typed: inout TypedTokens?,
    _ tell: (LineBlocks.Block) throws(Failure) -> Void
  ) throws(Failure) -> Tally {
    var lines = LineBlocks(limit: WireProtocol.maximumLineBytes)
    var told = 0
    func pass(_ pipe: borrowing FileDescriptor) throws(Failure) -> Bool {
      let block = try Self.reading { () throws(SystemError) in try lines.next(from: pipe) }
      guard let block else { return false }
      told += block.lines.count
      try tell(block)
      return true
    }
    let tally = try watch(pipe, &connection, &typed, pass)
    // What the pipe still holds.
    while told < tally.tokens {
      guard try pass(pipe) else {
        throw Failure(.daemonUnavailable, "the daemon ended before the whole answer was there")
      }
    }
    return tally
  }

  /// Waits for the pipe, for what is typed, and for the daemon's last line, whichever comes.
  ///
  /// - Parameter pass: Passes results on; false at their end.
  private func watch(
    _ pipe: borrowing FileDescriptor, _ connection: inout DaemonConnection, _ typed: inout TypedTokens?,
    _ pass: (borrowing FileDescriptor) throws(Failure) -> Bool
  ) throws(Failure) -> Tally {
    let poller = try Self.reading { () throws(SystemError) in
      let poller = try Poller()
      try poller.add(pipe.raw, interest: .read, key: 0)
      try poller.add(connection.descriptor, interest: .read, key: 1)
      if let typed { try poller.add(typed.raw, interest: .read, key: 2) }
      return poller
    }
    while true {
      if let tally = try lastLine(&connection) { return tally }
      let events = try Self.reading { () throws(SystemError) in try poller.wait(timeoutMilliseconds: -1) }
      for event in events {
        switch event.key {
        case 1: try connection.readMore()
        case 2:
          let goesOn = try typed?.pass { () throws(Failure) in
            if try Self.reading({ () throws(SystemError) in try pipe.waitUntilReadable(timeout: .zero) }) {
              _ = try pass(pipe)
            }
          }
          if goesOn == false {
            if let typed { try? poller.remove(typed.raw) }
            typed = nil
          }
        default: if try !pass(pipe) { try? poller.remove(pipe.raw) }
        }
      }
    }
  }

  private static func reading<Result: ~Copyable>(_ body: () throws(SystemError) -> Result) throws(Failure) -> Result {
    do { return try body() } catch { throw Failure(error, doing: "the answer could not be read") }
  }

  /// What the last line says, if it is here.
  private func lastLine(_ connection: inout DaemonConnection) throws(Failure) -> Tally? {
    while let reply = try connection.takeLine({ (line) throws(Failure) in try Reply(parsing: line) }) {
      switch reply {
      case .failure(let failure): throw failure
      case .event(let event): client.tell(event)
      case .result(let result):
        guard let tokens = result["tokens"]?.int, let notValid = result["not_valid"]?.int,
          let undecided = result["undecided"]?.int
        else { throw Self.notOfThisProtocol }
        return Tally(tokens: tokens, notValid: notValid, undecided: undecided)
      }
    }
    return nil
  }
}
