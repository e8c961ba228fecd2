internal import CPlatform
internal import Glibc

/// A system call that failed. Carries the number and the call, never a path or data.
package struct SystemError: Error, Hashable, Sendable {
  /// The error number, as in `errno(3)`.
  package let errno: Int32
  /// The function that failed, for example `openat`.
  package let operation: String

  package init(errno: Int32, operation: String) {
    self.errno = errno
    self.operation = operation
  }

  /// The symbolic name, for example `ENOENT`; `errno N` for a number without one.
  package var name: String { unsafe text(of: unsafe agent_error_name(errno)) }

  /// The system's English description, for example `No such file or directory`.
  package var message: String { unsafe text(of: unsafe agent_error_description(errno)) }

  private func text(of constant: UnsafePointer<CChar>?) -> String {
    guard let constant = unsafe constant else { return "errno \(errno)" }
    return unsafe String(cString: constant)
  }
}

extension SystemError: CustomStringConvertible {
  package var description: String { "\(operation): \(message)" }
}

extension SystemError {
  /// There is no such file (`ENOENT`).
  package var isNotFound: Bool { errno == ENOENT }
  /// The name is taken (`EEXIST`).
  package var isExists: Bool { errno == EEXIST }
  /// There is nothing to do now, or a wait has timed out (`EAGAIN`).
  package var isAgain: Bool { errno == EAGAIN }
  /// No descriptor or no memory for one is left (`EMFILE`, `ENFILE`, `ENOBUFS`, `ENOMEM`).
  package var isOutOfDescriptors: Bool { [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) }
  /// The device failed (`EIO`).
  package var isInputOutput: Bool { errno == EIO }
  /// The rights are missing (`EACCES`, `EPERM`).
  package var isPermissionDenied: Bool { errno == EACCES || errno == EPERM }
  /// A symbolic link where none is allowed (`ELOOP`).
  package var isSymbolicLink: Bool { errno == ELOOP }
  /// Of the wrong kind (`EINVAL`).
  package var isUnsuitable: Bool { errno == EINVAL }
  /// Larger than the limit that the caller set (`EFBIG`).
  package var isTooLarge: Bool { errno == EFBIG }
  /// The other end is closed (`EPIPE`, `ECONNRESET`).
  package var isDisconnected: Bool { errno == EPIPE || isReset }
  /// The peer closed the connection before it had read all (`ECONNRESET`).
  package var isReset: Bool { errno == ECONNRESET }
  /// The socket exists but no process listens (`ECONNREFUSED`).
  package var isConnectionRefused: Bool { errno == ECONNREFUSED }
  /// The address is bound already (`EADDRINUSE`).
  package var isAddressInUse: Bool { errno == EADDRINUSE }
  /// No space or quota is left (`ENOSPC`, `EDQUOT`).
  package var isNoSpace: Bool { errno == ENOSPC || errno == EDQUOT }
  /// The quota is used up (`EDQUOT`).
  package var isOverQuota: Bool { errno == EDQUOT }
  /// The file system has no locks, or no more of them (`ENOLCK`).
  package var isWithoutLocks: Bool { errno == ENOLCK }
  /// The system uses the file, for example as a mount point (`EBUSY`).
  package var isInUse: Bool { errno == EBUSY }
}

extension SystemError {
  /// A wait of this program has timed out (`ETIMEDOUT`).
  package static func timedOut(operation: String) -> SystemError {
    SystemError(errno: ETIMEDOUT, operation: operation)
  }

  /// A descriptor is of the wrong kind (`EINVAL`).
  package static func unsuitable(operation: String) -> SystemError {
    SystemError(errno: EINVAL, operation: operation)
  }
}
