package import Platform

/// Why a process did not do what a test waited for.
package enum ProcessFailure: Error, Hashable, Sendable {
  case system(SystemError)
  /// The timeout passed, and the process was killed, after this output.
  case timedOut(output: String, error: String)
  /// The process closed standard output or ended before a complete line.
  case ended(error: String)
  /// The process wrote more than 64 MiB.
  case tooMuchOutput
}
