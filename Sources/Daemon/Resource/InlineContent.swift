internal import Platform
internal import Wire

/// Takes the body of a request in lines, each when the part before has gone into the pipe that the worker reads. So no more
/// than one part is kept. Used on the loop only.
final class InlineContent {
  /// Nil once the last part is in the pipe.
  private var writing: SharedDescriptor?
  private let ticket: Ticket
  private unowned let loop: any ReplySink
  private var key: UInt64?
  /// The part that is being written; nil while one is wanted.
  private var part: ResourceBodyRequest?
  private var written = 0

  init(_ writing: SharedDescriptor, _ ticket: Ticket, _ loop: any ReplySink) {
    self.writing = writing
    self.ticket = ticket
    self.loop = loop
    loop.send(.event(.bodyWanted), to: ticket)
  }

  deinit { unwatch() }

  /// - Throws: `invalid_request` for a part that was not asked for.
  func take(_ next: ResourceBodyRequest) throws(Failure) {
    guard part == nil, writing != nil else { throw Failure(.invalidRequest, "a part of the body came unasked") }
    (part, written) = (next, 0)
    write()
  }

  private func write() {
    guard let end = writing, let part else { return }
    while written < part.bytes.count {
      do {
        written += try end.descriptor.write(part.bytes.span.extracting(written...))
      } catch {
        // The worker reads no more: the request is at its end.
        guard error.isAgain, watch(end) else { return close() }
        return
      }
    }
    unwatch()
    guard !part.isLast else { return close() }
    self.part = nil
    loop.send(.event(.bodyWanted), to: ticket)
  }

  private func watch(_ end: SharedDescriptor) -> Bool {
    if key == nil { key = try? loop.watch(end.descriptor.raw, for: .write) { [unowned self] in write() } }
    return key != nil
  }

  private func unwatch() {
    if let key { loop.unwatch(key) }
    key = nil
  }

  private func close() {
    unwatch()
    writing = nil
  }
}
