internal import Platform

/// Fires once, at the earliest time set since it last fired.
final class Alarm {
  private unowned let loop: any ReplySink
  private let act: () -> Void
  private(set) var due: Instant?

  init(_ loop: any ReplySink, _ act: @escaping () -> Void) {
    self.loop = loop
    self.act = act
  }

  /// Nil and the distant future are ignored.
  func set(at time: Instant?) {
    guard let time, time < due ?? .distantFuture else { return }
    due = time
    loop.schedule(at: time) { [weak self] in self?.expire(time) }
  }

  private func expire(_ time: Instant) {
    guard due == time else { return }
    due = nil
    act()
  }
}
