/// Counts of verified tokens: the result of a ``VerifyRequest``.
package struct VerifyTally: MemberList, Sendable, Hashable {
  package var tokens = 0
  /// Includes ``undecided``.
  package var invalid = 0
  /// Tokens that could not be checked.
  package var undecided = 0

  package init() {}

  package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
    try members.visitNumber("tokens", &tokens, "The number of results.")
    try members.visitNumber("not_valid", &invalid, "The number of invalid tokens.")
    try members.visitNumber(
      "undecided", &undecided, "The number of tokens that could not be checked.")
  }

  package static func += (left: inout VerifyTally, right: VerifyTally) {
    left.tokens += right.tokens
    left.invalid += right.invalid
    left.undecided += right.undecided
  }
}
