internal import Wire
internal import Platform

/// Copies bytes from one descriptor to another until the source ends, without blocking.
final class DescriptorCopier {
  private let source: SharedDescriptor
  private let sink: SharedDescriptor
  private unowned let loop: any RequestLoop
  private let onEnd: (DescriptorCopier) -> Void
  /// Bytes read. The first ``writtenCount`` are written.
  private var buffer: [UInt8] = []
  private var writtenCount = 0
  private var loopKey: UInt64?
  private var isStopped = false
  private var lastProgress: Instant

  private static let maximumReadBytes = 64 << 10
  /// Reads before other connections get their turn.
  private static let maximumReadsPerRound = 16
  /// How long a full sink may accept nothing.
  private static let timeout = Duration.seconds(120)

  /// - Parameter onEnd: Called once after all bytes, an error or the timeout.
  init(
    from source: SharedDescriptor, to sink: SharedDescriptor, _ loop: any RequestLoop,
    then onEnd: @escaping (DescriptorCopier) -> Void
  ) {
    (self.source, self.sink, self.loop, self.onEnd) = (source, sink, loop, onEnd)
    lastProgress = loop.now
  }

  deinit { loop.unwatch(&loopKey) }

  /// Copies available bytes, and the rest as they arrive.
  func copyAvailable() {
    guard !isStopped else { return }
    for _ in 0..<Self.maximumReadsPerRound {
      do throws(SystemError) {
        if writtenCount == buffer.count, try read() == 0 { return end() }
      } catch {
        return error.wouldBlock ? watch(source, for: .read) : end()
      }
      do throws(SystemError) {
        writtenCount += try sink.descriptor.writeNow(buffer.span.extracting(writtenCount...))
        lastProgress = loop.now
      } catch {
        return error.wouldBlock ? watch(sink, for: .write) : end()
      }
    }
    loop.unwatch(&loopKey)
    loop.schedule(at: loop.now) { [weak self] in self?.copyAvailable() }
  }

  private func read() throws(SystemError) -> Int {
    buffer.removeAll(keepingCapacity: true)
    writtenCount = 0
    // Files cannot be polled, and reading them never waits for another process.
    if source.descriptor.isSeekable() { return try source.descriptor.read(into: &buffer, upTo: Self.maximumReadBytes) }
    return try source.descriptor.readNow(into: &buffer, upTo: Self.maximumReadBytes)
  }

  /// Resumes copying when ready.
  private func watch(_ side: SharedDescriptor, for interest: Poller.Interest) {
    loop.unwatch(&loopKey)
    do { loopKey = try loop.watch(side.descriptor.raw, for: interest) { [unowned self] in copyAvailable() } } catch {
      return end()
    }
    guard case .write = interest else { return }
    loop.schedule(at: lastProgress.advanced(by: Self.timeout)) { [weak self] in self?.endIfStalled() }
  }

  private func endIfStalled() {
    if !isStopped, writtenCount < buffer.count, lastProgress.advanced(by: Self.timeout) <= loop.now { end() }
  }

  /// Stops copying. Both descriptors stay open while this object exists.
  func stop() {
    isStopped = true
    loop.unwatch(&loopKey)
  }

  private func end() {
    guard !isStopped else { return }
    stop()
    onEnd(self)
  }
}
