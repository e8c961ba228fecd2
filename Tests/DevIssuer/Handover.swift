import Synchronization

/// Takes a connection to its thread; closures cannot hold what cannot be copied.
final class Handover: Sendable {
  // One thread only takes it, so no more than this lock is needed, which holds what cannot be copied.
  private let connection: Mutex<Connection?>

  init(_ connection: consuming sending Connection) {
    self.connection = Mutex(connection)
  }

  /// Serves the connection to its end, then closes it. A second call does nothing.
  func serve() {
    guard var connection = connection.withLock({ $0.take() }) else { return }
    connection.serve()
  }
}
