internal import Peers
internal import Platform

/// Reports new addresses and routes while requests wait for the network.
final class NetworkListener {
  private unowned let loop: any ReplySink
  /// Called after a change.
  private let report: () -> Void
  private var watch: NetworkWatch?
  private var key: UInt64?

  init(_ loop: any ReplySink, _ report: @escaping () -> Void) {
    self.loop = loop
    self.report = report
  }

  /// Starts or stops listening.
  func listen(_ isWanted: Bool) {
    guard isWanted != (key != nil) else { return }
    if let ended = key.take() {
      loop.unwatch(ended)
      return watch = nil
    }
    guard let watch = try? NetworkWatch() else { return }
    key = try? loop.watch(watch.raw) { [unowned self] in if self.watch?.take() == true { report() } }
    if key != nil { self.watch = consume watch }
  }
}
