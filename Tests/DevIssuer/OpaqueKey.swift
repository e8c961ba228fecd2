import Crypto
import Encoding

/// A random value that is handed out as text and looked up by its bytes.
///
/// Swift's `==` on strings follows Unicode equivalence; a token is compared byte by byte.
struct OpaqueKey: Sendable, Hashable {
  let bytes: [UInt8]

  init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Nil when the text cannot have been made by ``random()``.
  init?(text: String) {
    guard let bytes = try? Base64URL.decode(text), bytes.count == 32 else { return nil }
    self.bytes = bytes
  }

  /// 256 random bits (RFC 6749 section 10.10).
  static func random() throws(CryptoError) -> OpaqueKey {
    OpaqueKey(bytes: try Random.bytes(32))
  }

  var text: String { Base64URL.encode(bytes) }
}
