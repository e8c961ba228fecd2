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

  private static func hex(_ text: String) -> String { text.utf8.map { String($0, radix: 16) }.joined() }

  private static func escape(_ byte: UInt8) -> String { "%" + String(byte, radix: 16) }

  private static func percent(_ text: String, _ form: (UInt8) -> String) -> String {
    text.utf8.map(form).joined()
  }

  private static let texts: [String] =
    [
      secret, "the token \(secret) is bad", "the token \(secret.prefix(16)) is bad",
      percent(secret) { "%" + (String($0, radix: 16, uppercase: true)) },
      percent(secret) { $0 < 0x40 ? "%" + String($0, radix: 16) : String(UnicodeScalar($0)) },
    ]
    // After 0 to 3 other bytes, and after 0 to 4 other characters.
    + ["", "x", "id:", "user:"].map { "Basic \(base64($0 + secret)) is bad" }
    + ["", "x", "xy", "xyz", "xyz4"].map { "bad:\($0)\(base64(secret))." }
    + [Base64URL.encode(Array(secret.utf8)), "q=\(Base64URL.encode(Array(("a" + secret).utf8)))&r"]

  /// The beginning, the end, each half and a piece of the middle, in every form.
  private static let parts: [String] = {
    let parts = [
      secret.prefix(8), secret.suffix(8), secret.prefix(11), secret.suffix(11), secret.dropFirst(7).prefix(8),
    ]
    var texts = [hex(secret), String(secret.reversed())]
    texts.append(secret.utf8.map { String($0, radix: 16) }.joined(separator: ":"))
    for part in parts.map({ String($0) }) {
      let back = String(part.reversed())
      texts += ["the token ends in \(part)", "no \(back).", "x\(base64(part))", "x\(base64(back))"]
      texts += [String(base64(part).reversed()), "0x\(hex(part))", hex(part).uppercased(), "a1 \(hex(back))"]
      texts += [String(hex(part).reversed()), percent(part, escape)]
    }
    return texts
  }()

  @Test(arguments: texts + parts) func `is found out`(text: String) throws { #expect(try repeats(text), "\(text)") }

  @Test(arguments: [
    "", "at", "the token is bad", "at+9sLw", "8TmGk", "%", "%4", "%zz", "====", "aGVsbG8gd29ybGQ=", "100 % sure, 50 %2",
  ]) func `is told from others`(text: String) throws { #expect(try !repeats(text)) }

  @Test func `is not looked for when the secret could be part of any word`() throws {
    #expect(try !repeats("the password is short", "short"))
  }

  // RFC 7515 section 7.1.
  @Test func `may repeat any token in compact form`() throws {
    #expect(SecretEcho("bad: eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJlLWJ5dGVz").repeats([]))
  }
}
