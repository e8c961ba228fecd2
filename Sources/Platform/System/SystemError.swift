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

  /// Such as `ENOENT`, or `errno N`.
  package var name: String { unsafe text(of: unsafe agent_error_name(errno)) }

  /// The C library's description.
  package var message: String { unsafe text(of: unsafe agent_error_description(errno)) }

  private func text(of constant: UnsafePointer<CChar>?) -> String {
    guard let constant = unsafe constant else { return "errno \(errno)" }
    return unsafe String(cString: constant)
  }

  package var description: String { "\(operation): \(message)" }

  package var isNotFound: Bool { errno == ENOENT }
  package var isNameTaken: Bool { errno == EEXIST }
  /// The call would block, or timed out.
  package var wouldBlock: Bool { errno == EAGAIN }
  /// `EMFILE`, `ENFILE`, or no memory for a descriptor (`ENOBUFS`, `ENOMEM`).
  package var isOutOfDescriptors: Bool { [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) }
  package var isDeviceFailure: Bool { errno == EIO }
  package var isPermissionDenied: Bool { errno == EACCES || errno == EPERM }
  package var isSymbolicLink: Bool { errno == ELOOP }
  /// The wrong kind of file or descriptor.
  package var isUnsuitable: Bool { errno == EINVAL }
  package var isTooLarge: Bool { errno == EFBIG }
  package var isDisconnected: Bool { errno == EPIPE || isReset }
  package var isReset: Bool { errno == ECONNRESET }
  package var isConnectionRefused: Bool { errno == ECONNREFUSED }
  package var isAddressInUse: Bool { errno == EADDRINUSE }
  package var isNotDirectory: Bool { errno == ENOTDIR }
  package var isNoSpace: Bool { errno == ENOSPC || errno == EDQUOT }
  package var isOverQuota: Bool { errno == EDQUOT }
  /// Locks are unsupported or exhausted.
  package var lacksLocks: Bool { errno == ENOLCK }
  /// Such as a mount point.
  package var isInUse: Bool { errno == EBUSY }

  /// For a timeout of this program (`ETIMEDOUT`).
  package static func timedOut(operation: String) -> SystemError {
    SystemError(errno: ETIMEDOUT, operation: operation)
  }

  /// For the wrong kind of descriptor (`EINVAL`).
  package static func unsuitable(operation: String) -> SystemError {
    SystemError(errno: EINVAL, operation: operation)
  }
}
