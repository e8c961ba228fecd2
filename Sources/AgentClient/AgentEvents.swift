internal import AgentSocket
internal import Encoding
internal import Platform
internal import Wire

/// What happens to sessions and accounts from now on, told by the agent as it happens.
///
/// ```swift
/// var events = try AgentEvents()
/// while let event = try events.next() { … }
/// ```
///
/// ``next()`` waits for as long as nothing happens, on the thread that calls it. ``stream(of:socket:keeping:)`` is for `async` code.
public struct AgentEvents: ~Copyable, Sendable {
  private var connection: DaemonConnection

  /// How long the agent may take to begin.
  private static let patience = Duration.seconds(10)

  /// Begins to follow. What happens after this returns is told.
  ///
  /// - Parameters:
  ///   - account: Only what concerns this account; nil for all.
  ///   - path: The agent's socket; nil where the command `agent` finds it.
  /// - Throws: As ``Agent/init()`` does.
  public init(of account: String? = nil, socket path: String? = nil) throws(AgentError) {
    var connection = try Agent.connect(toSocket: path)
    do throws(Failure) {
      try connection.send(RequestEnvelope(.events(EventsRequest(account: account, follow: true))))
      let deadline = Instant.now.advanced(by: Self.patience)
      while try !connection.nextLine(before: deadline, Self.isBeginning) {}
    } catch {
      throw AgentError(error)
    }
    self.connection = connection
  }

  private static func isBeginning(_ line: Span<UInt8>) throws(Failure) -> Bool {
    switch try Reply(parsing: line) {
    case .event(.following): return true
    case .failure(let failure): throw failure
    case .event, .result: return false
    }
  }

  /// Waits for the next event; nil when the agent has ended, after which nothing more comes.
  public mutating func next() throws(AgentError) -> AgentEvent? {
    do throws(Failure) {
      while true {
        let reply = try connection.nextLine(before: .distantFuture) { (line) throws(Failure) in
          try Reply(parsing: line)
        }
        if let event = try Self.event(reply) { return event }
      }
    } catch {
      if error.code == .daemonUnavailable { return nil }
      throw AgentError(error)
    }
  }

  /// The socket's number, which becomes readable when something comes; valid as long as this value lives.
  var descriptor: Int32 { connection.descriptor }

  /// The next event that is here already; nil when there is none. Never waits.
  mutating func take() throws(Failure) -> AgentEvent? {
    while let reply = try connection.takeLine({ (line) throws(Failure) in try Reply(parsing: line) }) {
      if let event = try Self.event(reply) { return event }
    }
    return nil
  }

  /// What a line tells; nil for something that only a later agent tells.
  ///
  /// - Throws: What the agent says went wrong; `daemon_unavailable` when it tells no more, as when it hangs up.
  private static func event(_ reply: Reply) throws(Failure) -> AgentEvent? {
    switch reply {
    case .event(.session(let entry?)): return AgentEvent(entry)
    case .event: return nil
    case .failure(let failure): throw failure
    case .result: throw Failure(.daemonUnavailable, "the agent tells no more")
    }
  }

  /// Reads once; waits if nothing has come.
  mutating func readMore() throws(Failure) { try connection.readMore() }
}
