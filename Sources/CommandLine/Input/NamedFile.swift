internal import Platform
internal import Wire

enum NamedFile {
  /// Throws for a directory, `timeout` if no program opens the other end of a FIFO within `seconds`, else `problem`
  /// with the system's message.
  static func open(
    _ path: String, for access: FileDescriptor.Access = .reading, within seconds: Int?,
    else problem: (Phrase) -> Failure
  ) throws(Failure) -> FileDescriptor {
    do throws(SystemError) {
      let file =
        if let seconds { try FileDescriptor.opening(path, for: access, within: .seconds(seconds)) } else {
          try FileDescriptor(opening: path, for: access)
        }
      // The daemon cannot report this, since it does not know the file's name.
      if try file.kind() == .directory { throw SystemError(errno: SystemError.Number.EISDIR, operation: "open") }
      return file
    } catch {
      guard error.errno != SystemError.Number.ETIMEDOUT else {
        throw Failure(.timeout, "no other program opened the FIFO \"\(path)\" within \(seconds ?? 0) s")
      }
      throw problem(Phrase(known: error.message))
    }
  }

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

  /// Opens a file for reading; `-` is standard input.
  static func openInput(
    _ path: String, within seconds: Int?, else problem: (Phrase) -> Failure
  ) throws(Failure) -> FileDescriptor {
    guard path == "-" else { return try open(path, within: seconds, else: problem) }
    do { return try FileDescriptor.duplicate(0) } catch { throw problem(Phrase(known: error.message)) }
  }
}
