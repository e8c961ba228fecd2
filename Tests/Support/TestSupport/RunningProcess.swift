package import Platform

/// A program in the background, killed and reaped on deinitialization. Standard error is a file, so that the program
/// never waits for a reader.
package final class RunningProcess: Sendable {
  private struct State: Sendable {
    var buffer: [UInt8] = []
    var status: ProcessStatus?
  }

  package let processID: Int32
  private let output: FileDescriptor
  private let ended: FileDescriptor
  private let input: Monitor<FileDescriptorBox?>
  private let errors: TemporaryDirectory
  private let state = Monitor(State())

  private final class FileDescriptorBox: Sendable {
    let descriptor: FileDescriptor
    init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }
  }

  /// Starts a program, with the parameters of ``ProcessRunner``.
  package init(
    executable: String, arguments: [String] = [], environment: [String] = ProcessRunner.plainEnvironment,
    inherits: [(parent: Int32, child: Int32)] = [], directory: String? = nil
  ) throws {
    Signals.ignoreFailingWrites()
    errors = try TemporaryDirectory()
    let errorFile = try FileDescriptor(opening: errors.path("error"), for: .replacing)
    let input = try Pipe()
    let output = try Pipe()
    let streams: [(parent: Int32, child: Int32)] = [
      (input.reading.raw, 0), (output.writing.raw, 1), (errorFile.raw, 2),
    ]
    processID = try Spawn.start(
      Spawn.Request(
        executable: executable, arguments: [executable] + arguments, environment: environment,
        inherits: streams + inherits, directory: directory))
    ended = try Spawn.processDescriptor(processID)
    self.output = output.reading
    self.input = Monitor(FileDescriptorBox(input.writing))
  }

  deinit {
    _ = try? terminate(Signals.SIGKILL)
  }

  /// The standard error so far.
  package var errorText: String { (try? errors.readText("error")) ?? "" }

  /// The next line of standard output, without the newline. Call it from one thread at a time.
  ///
  /// - Throws: ``ProcessFailure/timedOut(output:error:)`` with the received part of the line;
  ///   ``ProcessFailure/ended(error:)`` at the output's end.
  package func readLine(timeout: Duration = .testLimit) throws(ProcessFailure) -> String {
    let deadline = Instant.now.advanced(by: timeout)
    while true {
      if let line = takeLine() { return line }
      do {
        guard try output.waitUntilReadable(timeout: Instant.now.duration(to: deadline)) else { throw timedOut }
        var piece: [UInt8] = []
        if try output.read(into: &piece, upTo: 65_536) == 0 { throw ProcessFailure.ended(error: errorText) }
        state.withLock { $0.buffer += piece }
      } catch let error as SystemError {
        throw .system(error)
      } catch let error as ProcessFailure {
        throw error
      } catch {
        preconditionFailure("no other error is thrown here")
      }
    }
  }

  /// Writes to the program's standard input.
  package func send(_ text: String) throws(SystemError) {
    guard let box = input.withLock({ $0 }) else {
      throw SystemError(errno: SystemError.Number.EPIPE, operation: "write")
    }
    try box.descriptor.writeAll(Array(text.utf8).span)
  }

  package func closeInput() {
    input.withLock { $0 = nil }
  }

  package func wait(timeout: Duration = .testLimit) throws(ProcessFailure) -> ProcessStatus {
    if let status = state.withLock({ $0.status }) { return status }
    do {
      guard try ended.waitUntilReadable(timeout: timeout) else { throw timedOut }
      return try state.withLock { (state) throws(SystemError) in
        if let status = state.status { return status }
        let status = try Spawn.wait(processID)
        state.status = status
        return status
      }
    } catch let error as SystemError {
      throw .system(error)
    } catch let error as ProcessFailure {
      throw error
    } catch {
      preconditionFailure("no other error is thrown here")
    }
  }

  /// Does nothing if the program has ended.
  package func signal(_ signal: Int32) throws(SystemError) {
    // The process ID is not reused until the process is reaped.
    try state.withLock { (state) throws(SystemError) in
      if state.status == nil { try Spawn.kill(processID, signal) }
    }
  }

  /// Sends a signal and waits. After `timeout`, kills the program.
  @discardableResult
  package func terminate(
    _ signal: Int32 = Signals.SIGTERM, timeout: Duration = .testLimit
  ) throws(ProcessFailure) -> ProcessStatus {
    do { try self.signal(signal) } catch { throw .system(error) }
    do {
      return try wait(timeout: timeout)
    } catch ProcessFailure.timedOut {
      do { try self.signal(Signals.SIGKILL) } catch { throw .system(error) }
      return try wait()
    }
  }

  private var timedOut: ProcessFailure {
    .timedOut(output: state.withLock { String(decoding: $0.buffer, as: UTF8.self) }, error: errorText)
  }

  private func takeLine() -> String? {
    state.withLock { state in
      guard let newline = state.buffer.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
      let line = String(decoding: state.buffer[..<newline], as: UTF8.self)
      state.buffer.removeFirst(newline + 1)
      return line
    }
  }
}
