package import Encoding

/// The counts of a verification: the `result` of its last line.
package struct VerifyTally: Sendable, Hashable {
  package var tokens = 0
  package var notValid = 0
  /// The number of those with an undecided result.
  package var undecided = 0

  /// A tally of no token.
  package init() {}

  /// Reads a result; nil if it is not of this version of the protocol.
  package init?(json: JSONObject) {
    guard let tokens = json["tokens"]?.int, let notValid = json["not_valid"]?.int,
      let undecided = json["undecided"]?.int
    else { return nil }
    (self.tokens, self.notValid, self.undecided) = (tokens, notValid, undecided)
  }

  /// The tally in the protocol.
  package var json: JSONObject {
    JSONObject([("tokens", .int(tokens)), ("not_valid", .int(notValid)), ("undecided", .int(undecided))])
  }

  package static func += (left: inout VerifyTally, right: VerifyTally) {
    left.tokens += right.tokens
    left.notValid += right.notValid
    left.undecided += right.undecided
  }
}
