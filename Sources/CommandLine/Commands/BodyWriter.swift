internal import Platform
internal import Wire

/// Where the body of a resource's answer goes: standard output, or a file that is replaced once there is an
/// answer.
struct BodyWriter: ~Copyable {
  private let path: String?
  private var file: FileDescriptor?

  /// - Parameter path: Nil for standard output.
  init(path: String?) { self.path = path }

  /// Makes ready for an answer: until now the file is as it was.
  mutating func open() throws(Failure) {
    guard let path else { return }
    do { file = try FileDescriptor(opening: path, for: .replacing) } catch { throw unwritable(error) }
  }

  mutating func write(_ bytes: Span<UInt8>) throws(Failure) {
    do {
      switch file {
      case .some(let file): try file.writeAll(bytes)
      case .none: try Output.write(bytes, to: .standardOutput)
      }
    } catch {
      throw unwritable(error)
    }
  }

  /// Tells of an error that comes late, as on a network file system.
  mutating func close() throws(Failure) {
    guard let file = file.take() else { return }
    do { try file.close() } catch { throw unwritable(error) }
  }

  private borrowing func unwritable(_ error: SystemError) -> Failure {
    guard let path else { return Console.unwritable(error) }
    return Failure(.storage, "the answer could not be written to \"\(path)\": \(error.message)")
  }
}
