internal import Glibc

/// This process as a whole.
package enum Processes {
  /// Ends this process with `status`.
  package static func exit(_ status: Int32) -> Never { Glibc.exit(status) }
}
