package import Platform

/// Sends a response's body in lines, from a worker's pipe, as fast as the peer reads.
package final class InlineResponseBody {
  private let reading: SharedDescriptor
  private let ticket: Ticket
  private unowned let loop: any RequestLoop
  private var loopKey: UInt64?
  private var sentCount = 0
  /// Whether a part is being sent. A nested call must not send.
  private var isSending = false
  /// The total bytes, and the action once sent; nil until known.
  private var end: (bytes: Int, action: () -> Void)?

  /// Sending pauses at this limit.
  private static let maximumUnreadBytes = 1 << 20

  package init(_ reading: SharedDescriptor, _ ticket: Ticket, _ loop: any RequestLoop) {
    self.reading = reading
    self.ticket = ticket
    self.loop = loop
  }

  /// Starts sending. Store this object first, because its owner may remove it during the call.
  package func begin() {
    loop.whenRead(by: ticket) { [weak self] in self?.send() }
    watch()
  }

  deinit { loop.unwatch(&loopKey) }

  private func watch() {
    guard loopKey == nil else { return }
    loopKey = try? loop.watch(reading.descriptor.raw) { [unowned self] in send() }
  }

  private func send() {
    guard !isSending else { return }
    isSending = true
    defer { isSending = false }
    pass()
    finish()
  }

  /// Sends until the peer has `maximumUnreadBytes` unread.
  private func pass(upTo maximumUnreadBytes: Int = maximumUnreadBytes) {
    while true {
      guard loop.unreadBytes(by: ticket) < maximumUnreadBytes else { return loop.unwatch(&loopKey) }
      var piece: [UInt8] = []
      let count: Int
      do { count = try reading.descriptor.read(into: &piece, upTo: CallRequest.maximumEventBytes) } catch {
        return error.wouldBlock ? watch() : loop.unwatch(&loopKey)
      }
      guard count > 0 else { return loop.unwatch(&loopKey) }
      sentCount += count
      loop.send(.event(.body(piece)), to: ticket)
    }
  }

  /// Calls `action` once `bytes` bytes were sent.
  package func end(after bytes: Int, _ action: @escaping () -> Void) {
    end = (bytes, action)
    finish()
  }

  /// Sends all that the pipe contains, even to a slow peer. Call before sending a failure.
  package func drain() { pass(upTo: .max) }

  /// Calls `end.action` once all bytes are sent.
  private func finish() {
    guard let end, sentCount >= end.bytes else { return }
    self.end = nil
    end.action()
  }
}
