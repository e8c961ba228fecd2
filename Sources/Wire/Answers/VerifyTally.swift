package import Encoding

/// How many tokens of a check came to what: the `result` of its last line.
package struct VerifyTally: Sendable, Hashable {
  package var tokens = 0
  package var notValid = 0
  /// Of those, how many nothing can be said about for now.
  package var undecided = 0

  /// Of no token yet.
  package init() {}

  /// Reads a result; nil when it is none of this version's protocol.
  package init?(json: JSONObject) {
    guard let tokens = json["tokens"]?.int, let notValid = json["not_valid"]?.int,
      let undecided = json["undecided"]?.int
    else { return nil }
    (self.tokens, self.notValid, self.undecided) = (tokens, notValid, undecided)
  }

  /// As it crosses the socket.
  package var json: JSONObject {
    JSONObject([("tokens", .int(tokens)), ("not_valid", .int(notValid)), ("undecided", .int(undecided))])
  }

  package static func += (left: inout VerifyTally, right: VerifyTally) {
    left.tokens += right.tokens
    left.notValid += right.notValid
    left.undecided += right.undecided
  }
}
