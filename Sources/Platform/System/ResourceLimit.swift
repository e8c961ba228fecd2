internal import CPlatform

/// A limit that a process inherits from the one that starts it (setrlimit(2)).
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

  /// The limit that is in force; nil for none.
  package var soft: Int? {
    var (soft, hard) = (-1, -1)
    guard unsafe agent_limit(rawValue, &soft, &hard) == 0, soft >= 0 else { return nil }
    return soft
  }

  /// The most bytes of stack that the main thread needs. Programs that are started with more may have another layout of
  /// their memory, which is easier to guess.
  package static let enoughStackBytes = 8 << 20

  /// Raises all limits as far as this process may and needs.
  package static func raiseAll() {
    for limit in allCases { _ = agent_limit_raise(limit.rawValue, limit == .stackBytes ? enoughStackBytes : -1) }
  }
}
