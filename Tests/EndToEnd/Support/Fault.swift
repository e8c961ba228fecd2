/// A fault in a call by the daemon, in the format of `Tests/Tools/Faults/faults.c`.
struct Fault: Sendable, Equatable, CustomStringConvertible {
  let description: String
  /// The message for users if the operation fails; nil if the process ends or continues.
  let message: String?
  /// The message for a fault in writing the settings, if it differs.
  var inSettings: String?

  var isKill: Bool { self == .killBefore || self == .killAfter }

  static let killBefore = Fault(description: "before", message: nil)
  static let killAfter = Fault(description: "after", message: nil)
  /// Less is written than requested, which is not an error.
  static let shortWrite = Fault(description: "short", message: nil)

  // Linux error numbers, the same on all supported machines. "+" makes a fault persistent.
  static let failure = Fault(description: "5", message: "Input/output error")
  static let interruption = Fault(description: "4", message: "Interrupted system call")
  static let full = Fault(
    description: "28+", message: "the disk is full", inSettings: "No space left on device")
  static let quota = Fault(description: "122+", message: "the disk quota is used up", inSettings: "Disk quota exceeded")
  static let readOnly = Fault(description: "30+", message: "Read-only file system")
  static let denied = Fault(description: "13+", message: "ermission denied")
  static let tooManyFiles = Fault(description: "24+", message: "Too many open files")
  static let systemFull = Fault(description: "23+", message: "Too many open files in system")
  static let noLocks = Fault(description: "37+", message: "No locks available")
  static let noMemory = Fault(description: "12", message: "Cannot allocate memory")

  /// Blocks all calls of a function, from this one until there is another order.
  static func hold(_ function: String) -> Fault { Fault(description: "hold-\(function)", message: nil) }

  /// Makes all calls of a function take a second, from this one on.
  static func slow(_ function: String) -> Fault { Fault(description: "slow-\(function)", message: nil) }

  /// Makes the call succeed but report this error number.
  static func done(_ number: Int) -> Fault { Fault(description: "done-\(number)", message: nil) }

  /// Makes the call fail with this error number.
  static func number(_ number: Int) -> Fault { Fault(description: "\(number)", message: nil) }

  static func all(at function: String) -> [Fault] {
    let kills = [killBefore, killAfter]
    return switch function {
    case "open", "openat": [failure, full, quota, readOnly, denied, tooManyFiles, systemFull] + kills
    case "write": [failure, interruption, shortWrite, full, quota] + kills
    case "ftruncate": [failure, interruption] + kills
    case "posix_fallocate": [failure, interruption, full, quota] + kills
    case "fsync": [failure, interruption, full, quota] + kills
    case "renameat", "linkat", "mkdir": [failure, full, quota, readOnly, denied] + kills
    case "fchmod", "unlinkat": [failure, readOnly, denied] + kills
    case "flock": [failure, interruption, noLocks] + kills
    case "close": [failure, interruption, quota] + kills
    case "read": [failure, interruption, killBefore]
    case "fstat", "fstatat", "lstat": [failure, killBefore]
    case "fdopendir": [noMemory]
    case "send": kills
    case "recv": [killAfter]
    default: []
    }
  }
}
