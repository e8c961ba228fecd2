/// The exit statuses of `agent`; scripts branch on them, so a meaning never moves.
package enum ExitStatus: Int32, Sendable, CaseIterable {
  case done = 0
  case failed = 1
  case usage = 2
  /// There is no session, or it ended: only a sign-in helps.
  case signInNeeded = 3
  /// The network or the server failed in a passing way.
  case tryLater = 4
  case locked = 5
  /// The user or the server said no.
  case denied = 6
  case tokenNotValid = 7
}
