internal import Glibc

/// Converts the two error conventions of C to typed errors.
enum SystemCall {
  /// Returns a shim's result, or throws if it is a negated error number.
  @discardableResult
  static func checked(_ result: Int32, _ operation: String) throws(SystemError) -> Int32 {
    guard result >= 0 else { throw SystemError(errno: -result, operation: operation) }
    return result
  }

  /// Calls a shim that opens two descriptors.
  static func pair(
    _ operation: String, _ body: (UnsafeMutablePointer<Int32>) -> Int32
  ) throws(SystemError) -> (Int32, Int32) {
    var ends: [Int32] = [-1, -1]
    try checked(unsafe ends.withUnsafeMutableBufferPointer { unsafe body($0.baseAddress!) }, operation)
    return (ends[0], ends[1])
  }

  /// Calls a shim, again if a signal interrupts it.
  @discardableResult
  static func uninterrupted(_ operation: String, _ body: () -> Int32) throws(SystemError) -> Int32 {
    while true {
      let result = body()
      if result != -EINTR { return try checked(result, operation) }
    }
  }

  /// Calls a C function that fails with -1 and `errno`, again if a signal interrupts it.
  @discardableResult
  static func libc<Result: BinaryInteger & SignedNumeric>(
    _ operation: String, _ body: () -> Result
  ) throws(SystemError) -> Result {
    while true {
      let result = body()
      if result != -1 { return result }
      let number = errno
      if number != EINTR { throw SystemError(errno: number, operation: operation) }
    }
  }

  /// Throws `EINVAL` for a string with a NUL, which C would truncate.
  static func checkText(_ text: String, _ operation: String) throws(SystemError) {
    if text.utf8.contains(0) { throw SystemError(errno: EINVAL, operation: operation) }
  }
}
