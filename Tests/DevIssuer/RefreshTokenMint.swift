import Crypto
import Encoding

/// Makes refresh tokens and recognises its own.
///
/// A token names its grant and its number in the row of rotations, under a keyed hash. So the use
/// of any earlier token is noticed, however long ago it was replaced, and nothing has to be kept
/// for it (RFC 9700 section 4.14.2).
struct RefreshTokenMint: Sendable {
  struct Content: Sendable, Hashable {
    let grant: OpaqueKey
    let sequence: UInt64
  }

  private static let grantCount = 32
  private static let tagCount = 16
  private let key: [UInt8]

  init() throws(CryptoError) {
    key = try Random.bytes(32)
  }

  func token(_ content: Content) throws(CryptoError) -> String {
    let body = content.grant.bytes + (0..<8).map { UInt8(truncatingIfNeeded: content.sequence >> (56 - 8 * $0)) }
    return Base64URL.encode(body + (try tag(of: body)))
  }

  /// Nil when the text is no token of this mint.
  func content(of text: String) throws(CryptoError) -> Content? {
    guard let bytes = try? Base64URL.decode(text), bytes.count == Self.grantCount + 8 + Self.tagCount else {
      return nil
    }
    let body = Array(bytes.dropLast(Self.tagCount))
    let found = Array(bytes.suffix(Self.tagCount))
    let expected = try tag(of: body)
    guard ConstantTime.isEqual(expected.span, found.span) else { return nil }
    return Content(
      grant: OpaqueKey(bytes: Array(body.prefix(Self.grantCount))),
      sequence: body.suffix(8).reduce(0) { $0 << 8 | UInt64($1) })
  }

  private func tag(of body: [UInt8]) throws(CryptoError) -> [UInt8] {
    Array(try HMAC.sha256(key: key.span, body.span).prefix(Self.tagCount))
  }
}
