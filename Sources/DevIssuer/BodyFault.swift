/// What an endpoint can do to an answer after the request was carried out.
enum BodyFault: String, Sendable, Hashable, CaseIterable {
  case empty
  case html
  /// Two mebibytes of JSON.
  case huge
  case truncated
  /// The connection ends without an answer.
  case drop
}
