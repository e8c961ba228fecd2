internal import Platform
internal import Wire

/// The command of `agent exec`, as a child or in place of this process.
enum ExecutedCommand {
  /// The raw bytes of `words`, this process's final arguments, which need not be UTF-8.
  static func arguments(_ words: [String]) -> [[UInt8]] {
    let first = Int(Swift.CommandLine.argc) - words.count
    guard first >= 0 else { return words.map { Array($0.utf8) } }
    return words.enumerated().map { index, word in
      guard let bytes = unsafe Processes.argument(first + index).map({ unsafe Array($0) }),
        String(decoding: bytes, as: UTF8.self) == word
      else { return Array(word.utf8) }
      return bytes
    }
  }

  /// The shells' statuses for "not executable" and "not found".
  private static let cannotRun: Int32 = 126
  private static let notFound: Int32 = 127

  /// Runs a child command until `wait` returns its status. Returns 126 or 127 if the command cannot run.
  static func run(
    _ command: [String], _ environment: [[UInt8]], _ console: Console,
    until wait: (borrowing SupervisedCommand) throws(SystemError) -> ProcessStatus
  ) throws(Failure) -> ProcessStatus {
    let child: SupervisedCommand
    do { child = try SupervisedCommand(command[0], arguments(command), environment) } catch {
      return .exited(reportStartFailure(command[0], error, console))
    }
    do { return try wait(child) } catch { throw Failure(error, doing: "cannot wait for the command") }
  }

  /// Returns the exit status, 126 or 127.
  static func reportStartFailure(_ program: String, _ error: SystemError, _ console: Console) -> Int32 {
    let reason = error.isNotFound ? Phrase("command not found") : Phrase(known: error.message)
    console.report(Failure(.invalidRequest, Phrase("cannot run \"\(program)\": \(reason)")))
    return error.isNotFound ? notFound : cannotRun
  }
}

extension ProcessStatus {
  /// Ends this process by the signal that ended the command, if any. Otherwise returns the exit status.
  func propagate() -> Int32 {
    if case .signalled(let signal) = self { Signals.raise(signal) }
    return shellStatus
  }
}
