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

  /// The current limit; nil for none.
  package var soft: Int? {
    var (soft, hard) = (-1, -1)
    guard unsafe agent_limit(rawValue, &soft, &hard) == 0, soft >= 0 else { return nil }
    return soft
  }

  /// The stack size that the main thread needs, in bytes. A larger limit may give child programs another memory layout,
  /// which is easier to guess.
  package static let enoughStackBytes = 8 << 20

  /// Raises all limits as far as this process may and needs.
  package static func raiseAll() {
    for limit in allCases { _ = agent_limit_raise(limit.rawValue, limit == .stackBytes ? enoughStackBytes : -1) }
  }
}
