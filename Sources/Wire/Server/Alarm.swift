package import Platform

/// Calls its action at the earliest set time, and forgets later ones.
package final class Alarm {
  private unowned let loop: any RequestLoop
  private let action: () -> Void
  /// When the action will be called, if set.
  package private(set) var due: Instant?

  package init(_ loop: any RequestLoop, _ action: @escaping () -> Void) {
    self.loop = loop
    self.action = action
  }

  /// Adds a time, unless nil or in the distant future.
  package func set(at time: Instant?) {
    guard let time, time < due ?? .distantFuture else { return }
    due = time
    loop.schedule(at: time) { [weak self] in self?.expire(time) }
  }

  private func expire(_ time: Instant) {
    guard due == time else { return }
    due = nil
    action()
  }
}
