/// What the answer of the pushed authorization request endpoint can have wrong (RFC 9126 section 2.2).
enum PushedRequestFault: String, Sendable, Hashable, CaseIterable {
  /// A reference that is no URI.
  case malformed
  /// A reference to a web page.
  case http
  case missing
  /// One that the authorization endpoint does not know.
  case unknown
  /// 200 in place of 201.
  case status
}
