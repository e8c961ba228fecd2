internal import Wire
internal import Platform

/// Reports new addresses and routes while requests wait for the network.
final class NetworkListener {
  private unowned let loop: any ReplySink
  private let report: () -> Void
  private var watch: NetworkWatch?
  private var loopKey: UInt64?

  init(_ loop: any ReplySink, _ report: @escaping () -> Void) {
    self.loop = loop
    self.report = report
  }

  func listen(_ isWanted: Bool) {
    guard isWanted != (loopKey != nil) else { return }
    if let ended = loopKey.take() {
      loop.unwatch(ended)
      return watch = nil
    }
    guard let watch = try? NetworkWatch() else { return }
    loopKey = try? loop.watch(watch.raw) { [unowned self] in if self.watch?.drain() == true { report() } }
    if loopKey != nil { self.watch = consume watch }
  }
}
