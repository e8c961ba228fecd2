internal import Platform

package enum ProcessRunner {
  package static let plainEnvironment = ["PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"]

  private enum Key: UInt64 {
    case output, error, input, ended
  }

  /// Returns a program's output, without that of children that outlive it.
  ///
  /// - Parameters:
  ///   - executable: The program's file; `PATH` is not searched.
  ///   - arguments: The arguments without the program's name.
  ///   - environment: The complete environment, as "NAME=VALUE".
  ///   - inherits: Descriptors besides the standard ones.
  ///   - timeout: When it passes, the process is killed and the call throws.
  package static func run(
    executable: String, arguments: [String] = [], environment: [String] = plainEnvironment, input: [UInt8] = [],
    inherits: [(parent: Int32, child: Int32)] = [], directory: String? = nil, timeout: Duration = .testLimit
  ) throws(ProcessFailure) -> ProcessResult {
    let request = Spawn.Request(
      executable: executable, arguments: [executable] + arguments, environment: environment, inherits: inherits,
      directory: directory)
    do {
      return try finish(Child(request), input: input, deadline: Instant.now.advanced(by: timeout))
    } catch let error as SystemError {
      throw .system(error)
    } catch let error as ProcessFailure {
      throw error
    } catch {
      preconditionFailure("no other error is thrown here")
    }
  }

  @discardableResult
  package static func shell(_ line: String, timeout: Duration = .testLimit) throws(ProcessFailure)
    -> ProcessResult
  {
    try run(executable: "/bin/sh", arguments: ["-c", line], timeout: timeout)
  }

  private static func finish(_ child: consuming Child, input: [UInt8], deadline: Instant) throws -> ProcessResult {
    let ended = try Spawn.processDescriptor(child.processID)
    let poller = try Poller()
    try poller.add(ended.raw, interest: .read, key: Key.ended.rawValue)
    try poller.add(child.output.raw, interest: .read, key: Key.output.rawValue)
    try poller.add(child.error.raw, interest: .read, key: Key.error.rawValue)
    try poller.add(child.inputNumber, interest: .write, key: Key.input.rawValue)
    var transfer = Transfer(input: input)
    var isRunning = true
    while isRunning {
      let events = try poller.wait(until: deadline)
      if events.isEmpty { throw timedOut(transfer) }
      for event in events {
        switch Key(rawValue: event.key) {
        case .output: if try !transfer.receiveOutput(from: child) { try poller.remove(child.output.raw) }
        case .error: if try !transfer.receiveError(from: child) { try poller.remove(child.error.raw) }
        // An end that is closed leaves the poller automatically.
        case .input: try transfer.send(to: &child)
        case .ended, nil: isRunning = false
        }
      }
    }
    _ = try transfer.receiveOutput(from: child)
    _ = try transfer.receiveError(from: child)
    return ProcessResult(status: try child.reap(), output: transfer.output, error: transfer.error)
  }

  private static func timedOut(_ transfer: Transfer) -> ProcessFailure {
    .timedOut(
      output: String(decoding: transfer.output, as: UTF8.self), error: String(decoding: transfer.error, as: UTF8.self))
  }
}
