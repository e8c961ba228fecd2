internal import CPlatform
internal import Glibc

/// A failed system call. Contains no path or data.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The error number, as in `errno(3)`.
  package let errno: Int32
  /// The function that failed, for example `openat`.
  package let operation: String

  package init(errno: Int32, operation: String) {
    self.errno = errno
    self.operation = operation
  }

  /// The symbolic name, for example `ENOENT`, or `errno N`.
  package var name: String { unsafe text(of: unsafe agent_error_name(errno)) }

  /// The system's English description, for example `No such file or directory`.
  package var message: String { unsafe text(of: unsafe agent_error_description(errno)) }

  private func text(of constant: UnsafePointer<CChar>?) -> String {
    guard let constant = unsafe constant else { return "errno \(errno)" }
    return unsafe String(cString: constant)
  }

  package var description: String { "\(operation): \(message)" }

  package var isNotFound: Bool { errno == ENOENT }
  /// Whether the name exists already (`EEXIST`).
  package var isNameTaken: Bool { errno == EEXIST }
  /// Whether the call would block, or a wait has timed out (`EAGAIN`).
  package var wouldBlock: Bool { errno == EAGAIN }
  /// Whether no descriptor is free, or no memory for one (`EMFILE`, `ENFILE`, `ENOBUFS`, `ENOMEM`).
  package var isOutOfDescriptors: Bool { [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) }
  package var isDeviceFailure: Bool { errno == EIO }
  package var isPermissionDenied: Bool { errno == EACCES || errno == EPERM }
  /// Whether the path contains a symbolic link that is not allowed (`ELOOP`).
  package var isSymbolicLink: Bool { errno == ELOOP }
  /// Whether the file or descriptor is of the wrong kind (`EINVAL`).
  package var isUnsuitable: Bool { errno == EINVAL }
  /// Whether the caller's limit is exceeded (`EFBIG`).
  package var isTooLarge: Bool { errno == EFBIG }
  /// Whether the other end is closed (`EPIPE`, `ECONNRESET`).
  package var isDisconnected: Bool { errno == EPIPE || isReset }
  /// Whether the peer closed the connection early (`ECONNRESET`).
  package var isReset: Bool { errno == ECONNRESET }
  /// Whether the socket exists but no process listens (`ECONNREFUSED`).
  package var isConnectionRefused: Bool { errno == ECONNREFUSED }
  package var isAddressInUse: Bool { errno == EADDRINUSE }
  /// Whether a part of a path is a file (`ENOTDIR`).
  package var isNotDirectory: Bool { errno == ENOTDIR }
  package var isNoSpace: Bool { errno == ENOSPC || errno == EDQUOT }
  package var isOverQuota: Bool { errno == EDQUOT }
  /// Whether the file system has no locks, or no more of them (`ENOLCK`).
  package var isWithoutLocks: Bool { errno == ENOLCK }
  /// Whether the system uses the file, for example as a mount point (`EBUSY`).
  package var isInUse: Bool { errno == EBUSY }

  /// The error for a timeout of this program (`ETIMEDOUT`).
  package static func timedOut(operation: String) -> SystemError {
    SystemError(errno: ETIMEDOUT, operation: operation)
  }

  /// The error for a descriptor of the wrong kind (`EINVAL`).
  package static func unsuitable(operation: String) -> SystemError {
    SystemError(errno: EINVAL, operation: operation)
  }
}
