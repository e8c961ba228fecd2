internal import Platform
internal import Wire

/// A file that a command line names.
enum NamedFile {
  /// Opens it.
  ///
  /// - Parameters:
  ///   - seconds: The longest wait for the program at the other end of a FIFO, as `--timeout` has it; nil for no limit.
  ///   - problem: The failure of the command, made of the words of the system.
  /// - Throws: `timeout` when the time has passed.
  static func open(
    _ path: String, for access: FileDescriptor.Access = .reading, within seconds: Int?,
    else problem: (Phrase) -> Failure
  ) throws(Failure) -> FileDescriptor {
    do throws(SystemError) {
      let file =
        if let seconds { try FileDescriptor.opening(path, for: access, within: .seconds(seconds)) } else {
          try FileDescriptor(opening: path, for: access)
        }
      // Told here: the daemon, which reads what is in the file, does not know what it is called.
      if try file.kind() == .directory { throw SystemError(errno: SystemError.Number.EISDIR, operation: "open") }
      return file
    } catch {
      guard error.errno != SystemError.Number.ETIMEDOUT else {
        throw Failure(.timeout, "no other program has opened \"\(path)\", a FIFO, within \(seconds ?? 0) s")
      }
      throw problem(Phrase(known: error.message))
    }
  }

  /// Reads all of it.
  ///
  /// - Parameters:
  ///   - limit: The longest that it may be, in bytes.
  ///   - seconds: As in ``open(_:for:within:else:)``, and the longest wait for what is in it.
  static func read(
    _ path: String, limit: Int, within seconds: Int?, else problem: (Phrase) -> Failure
  ) throws(Failure) -> [UInt8] {
    let file = try open(path, within: seconds, else: problem)
    do { return try file.readToEnd(limit: limit, within: seconds.map { .seconds($0) }) } catch {
      guard error.errno != SystemError.Number.ETIMEDOUT else {
        throw Failure(.timeout, "\"\(path)\" did not end within \(seconds ?? 0) s")
      }
      throw problem(Phrase(known: error.message))
    }
  }

  /// As ``open(_:for:within:else:)`` for what is read, where `-` is standard input.
  static func openInput(
    _ path: String, within seconds: Int?, else problem: (Phrase) -> Failure
  ) throws(Failure) -> FileDescriptor {
    guard path.utf8.elementsEqual("-".utf8) else { return try open(path, within: seconds, else: problem) }
    do { return try NamedSecret.duplicate(0) } catch { throw problem(Phrase(known: error.message)) }
  }
}
