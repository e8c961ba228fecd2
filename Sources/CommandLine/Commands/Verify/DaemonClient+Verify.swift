internal import Encoding
internal import Platform
internal import Wire

extension DaemonClient {
  /// Has the daemon verify tokens. Repeats the request if the daemon ends before reading any. `passed` may contain the
  /// keys' descriptor. `emit` receives complete lines, one per result.
  func verify(
    _ request: VerifyRequest, of tokens: TokenReader, over connection: consuming DaemonConnection,
    passing passed: [SharedDescriptor],
    emit: (LineBlocks.Block) throws(Failure) -> Void
  ) throws(Failure) -> VerifyTally {
    // A private daemon has no successor.
    let hasNext = !connection.isPrivate
    var mayHaveBeenRead = false
    do {
      return try verify(request, of: tokens, over: connection, passed, &mayHaveBeenRead, emit)
    } catch {
      // The first request consumed the typed tokens.
      guard error.code == .daemonUnavailable, hasNext, !mayHaveBeenRead, !tokens.isTyped else { throw error }
    }
    return try verify(request, of: tokens, over: connectAgain(), passed, &mayHaveBeenRead, emit)
  }

  private func verify(
    _ request: VerifyRequest, of tokens: TokenReader, over connection: consuming DaemonConnection,
    _ passed: [SharedDescriptor], _ mayHaveBeenRead: inout Bool, _ emit: (LineBlocks.Block) throws(Failure) -> Void
  ) throws(Failure) -> VerifyTally {
    var typed: TypedTokens?
    let pipe: FileDescriptor
    if tokens.isTyped {
      let typing = try Self.verdictPipe()
      typed = TypedTokens(tokens, into: SharedDescriptor(typing.writing))
      pipe = try send(request, passed + [SharedDescriptor(typing.reading)], over: connection)
    } else {
      pipe = try send(request, passed + [tokens.source], over: connection)
    }
    mayHaveBeenRead = true
    do throws(Failure) { return try receive(pipe, &connection, &typed, emit) } catch {
      if connection.hasUnreadRequest { mayHaveBeenRead = false }
      throw error
    }
  }

  private func send(
    _ request: VerifyRequest, _ passed: [SharedDescriptor], over connection: borrowing DaemonConnection
  ) throws(Failure) -> FileDescriptor {
    let pipe = try Self.verdictPipe()
    _ = logRequest(.verify(request))
    try connection.send(envelope(.verify(request)), passing: passed + [SharedDescriptor(pipe.writing)])
    return pipe.reading
  }

  private static func verdictPipe() throws(Failure) -> Pipe {
    do { return try Pipe() } catch { throw Failure(error, doing: "cannot pass the tokens to the daemon") }
  }

  private func receive(
    _ pipe: consuming FileDescriptor, _ connection: inout DaemonConnection, _ typed: inout TypedTokens?,
    _ emit: (LineBlocks.Block) throws(Failure) -> Void
  ) throws(Failure) -> VerifyTally {
    var lines = LineBlocks(limit: WireProtocol.maximumLineBytes)
    let result = try PipedAnswer(self, from: pipe).receive(
      over: &connection, total: { VerifyTally().withValues(from: .object($0))?.tokens }, sending: &typed
    ) { (pipe) throws(Failure) in
      let block = try PipedAnswer.convertingReadErrors { () throws(SystemError) in try lines.next(from: pipe) }
      guard let block else { return nil }
      try emit(block)
      return block.lines.count
    }
    guard let tally = VerifyTally().withValues(from: .object(result)) else { throw Reply.unreadable }
    return tally
  }
}
