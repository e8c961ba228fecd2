package import Platform

/// Why a process did not do what a test waited for.
package enum ProcessFailure: Error, Hashable, Sendable {
  case system(SystemError)
  /// The time has passed; the process was ended. Carries what it had written so far.
  case timedOut(output: String, error: String)
  /// It closed its standard output, or ended, before it wrote a whole line.
  case ended(error: String)
  /// It wrote more than 64 MiB.
  case tooMuchOutput
}
