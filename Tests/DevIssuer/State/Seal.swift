import Crypto
import Encoding

/// Makes texts that nobody else can make.
struct Seal: Sendable {
  private let secret: [UInt8]

  init() throws { secret = try Random.bytes(32) }

  /// A keyed hash, for one purpose.
  func callAsFunction(_ purpose: String, _ text: String) throws -> String {
    Base64URL.encode(try HMAC.sha256(key: secret.span, Array("\(purpose) \(text)".utf8).span))
  }

  /// 256 random bits (RFC 6749 section 10.10) as text, of which keys of tables are made too.
  static func opaque() throws -> String { Base64URL.encode(try Random.bytes(32)) }

  /// Compares in a time that says nothing of where texts differ.
  static func isSame(_ one: String, _ other: String) -> Bool {
    ConstantTime.isEqual(Array(one.utf8).span, Array(other.utf8).span)
  }
}
