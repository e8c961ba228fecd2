internal import AgentSocket
internal import Encoding
internal import Platform
internal import Wire

/// The events of sessions and accounts from now on.
///
/// ```swift
/// var events = try AgentEvents()
/// while let event = try events.next() { … }
/// ```
///
/// ``next()`` blocks its thread until the next event. ``stream(of:socket:keeping:)`` is for `async` code.
public struct AgentEvents: ~Copyable, Sendable {
  private var connection: DaemonConnection

  /// The longest wait for the start of the events.
  private static let patience = Duration.seconds(10)

  /// Begins to follow. Every event after this returns is received.
  ///
  /// - Parameters:
  ///   - account: Only events of this account; nil means all.
  ///   - path: The agent's socket; nil means the one that the command `agent` uses.
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

  /// Waits for the next event; nil if the agent has ended, which is the end of all events.
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

  /// The socket's number, which becomes readable with an event; valid as long as this value lives.
  var descriptor: Int32 { connection.descriptor }

  /// The next received event; nil if there is none. Never waits.
  mutating func take() throws(Failure) -> AgentEvent? {
    while let reply = try connection.takeLine({ (line) throws(Failure) in try Reply(parsing: line) }) {
      if let event = try Self.event(reply) { return event }
    }
    return nil
  }

  /// The event of a line; nil for one that only a later agent sends.
  ///
  /// - Throws: The agent's failure; `daemon_unavailable` if the events end, as by a closed connection.
  private static func event(_ reply: Reply) throws(Failure) -> AgentEvent? {
    switch reply {
    case .event(.session(let entry?)): return AgentEvent(entry)
    case .event: return nil
    case .failure(let failure): throw failure
    case .result: throw Failure(.daemonUnavailable, "the agent tells no more")
    }
  }

  /// Reads once; waits if there is nothing to read.
  mutating func readMore() throws(Failure) { try connection.readMore() }
}
