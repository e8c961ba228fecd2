internal import CPlatform
internal import Glibc

/// A failed system call. Contains no path or data.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  package let errno: Int32
  /// The failed function, such as `openat`.
  package let operation: String

  package init(errno: Int32, operation: String) {
    self.errno = errno
    self.operation = operation
  }

  /// The symbolic name, such as `ENOENT`, or `errno N`.
  package var name: String { unsafe text(of: unsafe agent_error_name(errno)) }

  /// The C library's English description, such as `No such file or directory`.
  package var message: String { unsafe text(of: unsafe agent_error_description(errno)) }

  private func text(of constant: UnsafePointer<CChar>?) -> String {
    guard let constant = unsafe constant else { return "errno \(errno)" }
    return unsafe String(cString: constant)
  }

  package var description: String { "\(operation): \(message)" }

  package var isNotFound: Bool { errno == ENOENT }
  package var isNameTaken: Bool { errno == EEXIST }
  /// The call would block, or a wait has timed out.
  package var wouldBlock: Bool { errno == EAGAIN }
  /// `EMFILE`, `ENFILE`, or no memory for a descriptor (`ENOBUFS`, `ENOMEM`).
  package var isOutOfDescriptors: Bool { [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) }
  package var isDeviceFailure: Bool { errno == EIO }
  package var isPermissionDenied: Bool { errno == EACCES || errno == EPERM }
  /// The path contains a symbolic link that is not allowed.
  package var isSymbolicLink: Bool { errno == ELOOP }
  /// The file or descriptor is of the wrong kind.
  package var isUnsuitable: Bool { errno == EINVAL }
  /// The caller's limit is exceeded.
  package var isTooLarge: Bool { errno == EFBIG }
  /// The other end is closed.
  package var isDisconnected: Bool { errno == EPIPE || isReset }
  /// The peer closed the connection early.
  package var isReset: Bool { errno == ECONNRESET }
  /// The socket exists but no process listens.
  package var isConnectionRefused: Bool { errno == ECONNREFUSED }
  package var isAddressInUse: Bool { errno == EADDRINUSE }
  /// A part of the path is a file.
  package var isNotDirectory: Bool { errno == ENOTDIR }
  package var isNoSpace: Bool { errno == ENOSPC || errno == EDQUOT }
  package var isOverQuota: Bool { errno == EDQUOT }
  /// The file system does not support locks, or the system has no more of them.
  package var lacksLocks: Bool { errno == ENOLCK }
  /// The system uses the file, for example as a mount point.
  package var isInUse: Bool { errno == EBUSY }

  /// For a timeout of this program (`ETIMEDOUT`).
  package static func timedOut(operation: String) -> SystemError {
    SystemError(errno: ETIMEDOUT, operation: operation)
  }

  /// For a descriptor of the wrong kind (`EINVAL`).
  package static func unsuitable(operation: String) -> SystemError {
    SystemError(errno: EINVAL, operation: operation)
  }
}
