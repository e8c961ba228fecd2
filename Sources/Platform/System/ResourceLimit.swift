internal import CPlatform

/// A limit inherited from the parent process (setrlimit(2)).
package enum ResourceLimit: Int32, CaseIterable, Sendable {
  // The kernel's numbers.
  case processorSeconds = 0
  case fileBytes = 1
  case dataBytes = 2
  case stackBytes = 3
  case processes = 6
  case descriptors = 7
  case lockedBytes = 8
  case addressSpaceBytes = 9

  /// Nil if unlimited or unknown.
  package var soft: Int? {
    var (soft, hard) = (-1, -1)
    guard unsafe agent_limit(rawValue, &soft, &hard) == 0, soft >= 0 else { return nil }
    return soft
  }

  /// Lowers the limit permanently. Never raises it.
  package func lower(to most: Int) throws(SystemError) {
    try SystemCall.checked(agent_limit_lower(rawValue, most), "setrlimit")
  }

  /// For the main thread. More may make the memory layout easier to guess.
  package static let requiredStackBytes = 8 << 20

  /// Raises each limit to what this process needs, as far as permitted.
  package static func raiseAll() {
    for limit in allCases { _ = agent_limit_raise(limit.rawValue, limit == .stackBytes ? requiredStackBytes : -1) }
  }
}
