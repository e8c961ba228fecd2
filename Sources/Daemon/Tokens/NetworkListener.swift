internal import Wire
internal import Platform

/// Reports new addresses and routes, while listening.
final class NetworkListener {
  private unowned let loop: any RequestLoop
  private let onChange: () -> Void
  private var watch: NetworkWatch?
  private var loopKey: UInt64?

  init(_ loop: any RequestLoop, _ onChange: @escaping () -> Void) {
    self.loop = loop
    self.onChange = onChange
  }

  func setListening(_ isWanted: Bool) {
    guard isWanted != (loopKey != nil) else { return }
    if let ended = loopKey.take() {
      loop.unwatch(ended)
      return watch = nil
    }
    guard let watch = try? NetworkWatch() else { return }
    loopKey = try? loop.watch(watch.raw) { [unowned self] in if self.watch?.drain() == true { onChange() } }
    if loopKey != nil { self.watch = consume watch }
  }
}
