internal import Peers
internal import Platform

/// Copies the bytes of one descriptor to another, as fast as they are taken, until the first one ends. Never waits, whatever
/// other holders of the descriptors do. Used on the loop only.
final class Pump {
  private let source: SharedDescriptor
  private let sink: SharedDescriptor
  private unowned let loop: any ReplySink
  private let ended: (Pump) -> Void
  private var buffer: [UInt8] = []
  private var written = 0
  private var key: UInt64?
  /// Nothing more is copied.
  private var isStopped = false
  private var lastProgress: Instant

  private static let mostBytes = 64 << 10
  /// Limit of the rounds of one turn, so that others have theirs.
  private static let mostRounds = 16
  /// The longest time without a byte at a sink that takes none.
  private static let patience = Duration.seconds(120)

  /// - Parameter ended: Called once, when all was copied or either side is broken.
  init(
    from source: SharedDescriptor, to sink: SharedDescriptor, _ loop: any ReplySink,
    then ended: @escaping (Pump) -> Void
  ) {
    (self.source, self.sink, self.loop, self.ended) = (source, sink, loop, ended)
    lastProgress = loop.now
  }

  deinit { unwatch() }

  /// Copies as much as possible now, and the rest when there is more.
  func run() {
    guard !isStopped else { return }
    for _ in 0..<Self.mostRounds {
      do throws(SystemError) {
        if written == buffer.count, try read() == 0 { return end() }
      } catch {
        return error.isAgain ? watch(source, for: .read) : end()
      }
      do throws(SystemError) {
        written += try sink.descriptor.writeNow(buffer.span.extracting(written...))
        lastProgress = loop.now
      } catch {
        return error.isAgain ? watch(sink, for: .write) : end()
      }
    }
    unwatch()
    loop.schedule(at: loop.now) { [weak self] in self?.run() }
  }

  private func read() throws(SystemError) -> Int {
    buffer.removeAll(keepingCapacity: true)
    written = 0
    // A file makes nobody wait, and nothing tells when more of it is in memory.
    if source.descriptor.isSeekable() { return try source.descriptor.read(into: &buffer, upTo: Self.mostBytes) }
    return try source.descriptor.readNow(into: &buffer, upTo: Self.mostBytes)
  }

  private func watch(_ side: SharedDescriptor, for interest: Poller.Interest) {
    unwatch()
    do { key = try loop.watch(side.descriptor.raw, for: interest) { [unowned self] in run() } } catch { return end() }
    guard case .write = interest else { return }
    loop.schedule(at: lastProgress.advanced(by: Self.patience)) { [weak self] in self?.endIfStalled() }
  }

  private func endIfStalled() {
    if !isStopped, written < buffer.count, lastProgress.advanced(by: Self.patience) <= loop.now { end() }
  }

  private func unwatch() {
    if let key { loop.unwatch(key) }
    key = nil
  }

  /// Copies no more. Both descriptors stay open as long as this lives.
  func stop() {
    isStopped = true
    unwatch()
  }

  private func end() {
    guard !isStopped else { return }
    stop()
    ended(self)
  }
}
