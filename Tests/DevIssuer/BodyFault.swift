/// What an endpoint can do to an answer after the request was carried out. Those that are said to be right must
/// be taken.
enum BodyFault: String, Sendable, Hashable, CaseIterable {
  case empty
  case html
  /// JSON, but no object.
  case array
  /// Two mebibytes of JSON.
  case huge
  /// JSON in JSON in JSON, a hundred thousand times.
  case deep
  /// 200, and an error for its content.
  case error
  /// 307 to the address of `redirect_to`, which takes the content of the request along (RFC 9110 section 15.4.8).
  case redirect

  // Header fields.
  /// JSON that is said to be plain text.
  case type
  case twoTypes = "two_types"
  case twoLengths = "two_lengths"
  /// 302 to two places, of which one is at this issuer.
  case twoLocations = "two_locations"
  /// More fields than anybody needs.
  case flood

  // Transport.
  case truncated
  /// The connection ends without an answer.
  case drop
  /// It goes on for as long as somebody reads.
  case endless
  /// A byte at a time, which is right.
  case crumbs
  /// Compressed, which nobody asked for, and very large then.
  case bomb
}
