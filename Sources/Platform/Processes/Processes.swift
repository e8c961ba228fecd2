internal import Glibc

/// This process.
package enum Processes {
  /// Ends this process with `status`.
  package static func exit(_ status: Int32) -> Never { Glibc.exit(status) }
}

/// The end of a process.
package enum ExitStatus: Hashable, Sendable {
  /// It returned or called `exit` with this status, 0 to 255.
  case exited(Int32)
  /// This signal ended it.
  case signalled(Int32)

  /// The status that shells report: the signal's number plus 128.
  package var shellStatus: Int32 {
    switch self {
    case .exited(let status): status
    case .signalled(let signal): 128 + signal
    }
  }
}
