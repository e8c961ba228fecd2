internal import AgentSocket
internal import Platform
internal import Wire

extension AgentEvents {
  /// The same for `async` code: `for try await event in try AgentEvents.stream() { … }`.
  ///
  /// A thread of its own waits for the agent, so nothing blocks Swift's shared pool. The stream ends with the agent,
  /// and the thread ends when the stream is released or its task is cancelled. The connection is made before this
  /// returns.
  ///
  /// - Parameters:
  ///   - account: Only events of this account; nil means all.
  ///   - path: The agent's socket; nil means the one that the command `agent` uses.
  ///   - limit: The largest number of unread events; if there are more the oldest are dropped.
  public static func stream(
    of account: String? = nil, socket path: String? = nil, keeping limit: Int = 256
  ) throws(AgentError) -> AsyncThrowingStream<AgentEvent, any Error> {
    let events = try AgentEvents(of: account, socket: path)
    let (stream, continuation) = AsyncThrowingStream.makeStream(
      of: AgentEvent.self, bufferingPolicy: .bufferingNewest(max(1, limit)))
    do throws(SystemError) {
      let stop = try Stop()
      continuation.onTermination = { _ in stop.counter.signal() }
      let box = Box(events)
      try Threads.start(name: "agent-events") {
        do throws(Failure) {
          try box.follow(until: stop) { continuation.yield($0) }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error.code == .daemonUnavailable ? nil : AgentError(error))
        }
      }
    } catch {
      throw AgentError(Failure(.tooBusy, "no thread can be started to follow events: \(error.message)"))
    }
    return stream
  }

  private final class Stop: Sendable {
    let counter: EventCounter
    init() throws(SystemError) { counter = try EventCounter() }
  }

  /// Passes the connection to its thread, its only user.
  private final class Box: @unchecked Sendable {
    private var events: AgentEvents

    init(_ events: consuming AgentEvents) { self.events = events }

    func follow(until stop: Stop, _ tell: (AgentEvent) -> Void) throws(Failure) {
      let poller = try Self.telling { () throws(SystemError) in
        let poller = try Poller()
        try poller.add(events.descriptor, interest: .read, key: 0)
        try poller.add(stop.counter.raw, interest: .read, key: 1)
        return poller
      }
      while true {
        while let event = try events.take() { tell(event) }
        let ready = try Self.telling { () throws(SystemError) in try poller.wait(timeoutMilliseconds: -1) }
        if ready.contains(where: { $0.key == 1 }) { return }
        try events.readMore()
      }
    }

    private static func telling<Result: ~Copyable>(
      _ body: () throws(SystemError) -> Result
    ) throws(Failure) -> Result {
      do { return try body() } catch { throw Failure(error, doing: "events cannot be followed") }
    }
  }
}
