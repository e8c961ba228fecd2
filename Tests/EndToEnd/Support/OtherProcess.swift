import Platform
import Testing

/// A process that is not a child of this one.
final class OtherProcess: Sendable {
  private let number: Int32
  private let descriptor: FileDescriptor

  /// Throws `ESRCH` if the process does not exist.
  init(_ number: Int32) throws {
    descriptor = try Spawn.processDescriptor(number)
    self.number = number
  }

  func signal(_ signal: Int32) throws {
    do { try Spawn.kill(number, signal) } catch  where error.errno == SystemError.Number.ESRCH {}
  }

  /// Whether the process has ended, or ends within this time.
  func ends(within time: Duration) -> Bool { (try? descriptor.waitUntilReadable(timeout: time)) ?? false }
}
