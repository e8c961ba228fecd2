package import Platform

/// The reason why a process did not do what a test waited for.
package enum ProcessFailure: Error, Hashable, Sendable {
  case system(SystemError)
  /// The timeout passed, and the process was killed. Includes its output so far.
  case timedOut(output: String, error: String)
  /// It closed its standard output, or ended, before a complete line.
  case ended(error: String)
  /// It wrote more than 64 MiB.
  case tooMuchOutput
}
