import Crypto
import Encoding
import Testing

@testable import OAuth

@Suite struct `A text that repeats a secret` {
  private static let secret = "at+9sLw2c/4bVtq1~Gk3mT8"

  private func repeats(_ text: String, _ secret: String = secret) throws -> Bool {
    let bytes = Array(secret.utf8)
    return SecretEcho(text).repeats([SharedSecret(try SecretBytes(copying: bytes.span))])
  }

  private static func base64(_ text: String) -> String { Base64.encode(Array(text.utf8)) }

  private static func percent(_ text: String, _ form: (UInt8) -> String) -> String {
    text.utf8.map(form).joined()
  }

  private static let texts: [String] =
    [
      secret, "the token \(secret) is bad", "the token \(secret.prefix(16)) is bad",
      percent(secret) { "%" + (String($0, radix: 16, uppercase: true)) },
      percent(secret) { $0 < 0x40 ? "%" + String($0, radix: 16) : String(UnicodeScalar($0)) },
    ]
    // Behind 0 to 3 other bytes, and behind 0 to 4 other characters.
    + ["", "x", "id:", "user:"].map { "Basic \(base64($0 + secret)) is bad" }
    + ["", "x", "xy", "xyz", "xyz4"].map { "bad:\($0)\(base64(secret))." }
    + [Base64URL.encode(Array(secret.utf8)), "q=\(Base64URL.encode(Array(("a" + secret).utf8)))&r"]

  @Test(arguments: texts) func `is found out`(text: String) throws { #expect(try repeats(text), "\(text)") }

  @Test(arguments: [
    "", "at", "the token is bad", "at+9sLw2c", "%", "%4", "%zz", "====", "aGVsbG8gd29ybGQ=", "100 % sure, 50 %2",
  ]) func `is told from others`(text: String) throws { #expect(try !repeats(text)) }

  @Test func `is not looked for when the secret could be part of any word`() throws {
    #expect(try !repeats("the password is short", "short"))
  }

  // RFC 7515 section 7.1.
  @Test func `may repeat any token in compact form`() throws {
    #expect(SecretEcho("bad: eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJlLWJ5dGVz").repeats([]))
  }
}
