internal import Crypto
internal import Encoding

/// The left half of a hash in base64url: what `at_hash` and `c_hash` hold (OpenID Connect Core 1.0 sections 3.1.3.6 and
/// 3.3.2.11).
enum LeftHalfHash {
  static func text(_ digest: Digest, of value: Span<UInt8>) throws(JOSEError) -> String {
    do {
      let hash = try digest.hash(value)
      return Base64URL.encode(hash.span.extracting(first: digest.byteCount / 2))
    } catch {
      throw JOSEError(error)
    }
  }

  static func isSame(_ found: String, _ digest: Digest, of value: Span<UInt8>) throws(JOSEError) -> Bool {
    let (left, right) = (found.utf8, try text(digest, of: value).utf8)
    return ConstantTime.isEqual(left.span, right.span)
  }
}
