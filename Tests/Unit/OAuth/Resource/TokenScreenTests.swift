import Crypto
import Encoding
import Testing

@testable import OAuth

@Suite struct `The search for the token in an answer` {
  private static let token = "ya29.a0-_~+/ARW5m75L9==x"

  private func screen(_ token: String = token) throws -> TokenScreen {
    try TokenScreen(SharedSecret(try SecretBytes(copying: Array(token.utf8).span)))
  }

  /// - Returns: The bytes passed; nil if the token is found.
  private func passed(_ text: String, by size: Int, token: String = token) throws -> String? {
    var screen = try screen(token)
    var passed: [UInt8] = []
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: size) {
      guard screen.pass(bytes[start..<min(start + size, bytes.count)].span, to: &passed) else { return nil }
    }
    screen.finish(to: &passed)
    return String(decoding: passed, as: UTF8.self)
  }

  private static func percent(_ text: String, lower: Bool) -> String {
    text.utf8.enumerated().map { index, byte in
      let digits = HexDigit.text([byte])
      return "%" + (lower || index % 3 == 0 ? digits : digits.uppercased())
    }.joined()
  }

  private static var forms: [String] {
    var forms = [
      token, percent(token, lower: true), percent(token, lower: false),
      String(token.prefix(5)) + percent(String(token.dropFirst(5)), lower: true),
    ]
    forms.append(token.replacing("/", with: "\\/"))
    forms.append(token.replacing("/", with: "\\u002f").replacing("+", with: "\\u002B"))
    for before in ["", "u", "u:", "user:", "Bearer "] {
      let bytes = Array((before + token + "!!").utf8)
      let standard = Base64.encode(bytes)
      forms += [standard, Base64URL.encode(bytes), percent(standard, lower: false)]
      forms.append(standard.enumerated().map { $0 % 20 == 19 ? "\($1)\r\n" : "\($1)" }.joined())
      forms.append(standard.replacing("+", with: "%2b").replacing("/", with: "%2F").replacing("=", with: "%3D"))
    }
    return forms
  }

  @Test(arguments: [1, 2, 3, 5, 7, 1000]) func `finds each form of it, however the answer is cut`(size: Int) throws {
    for form in Self.forms {
      #expect(try passed("{\"a\":\"%4\\u00" + form + "\"}", by: size) == nil, "\(form)")
      #expect(try passed(Self.token.dropLast() + form, by: size) == nil, "\(form)")
    }
  }

  @Test(arguments: [1, 3, 1000]) func `passes all else unchanged`(size: Int) throws {
    for text in [
      "", "%", "%4", "%zz", "\\", "\\u00", "100 % of \\n\\\\", String(Self.token.dropLast()),
      String(Self.token.dropFirst()),
      Base64.encode(Array(Self.token.utf8.dropLast(3))), "event: a\ndata: ya29.a0\n\n",
    ] {
      #expect(try passed(text, by: size) == text)
    }
  }

  @Test func `finds a token that repeats itself`() throws {
    #expect(try passed("abababababacababababababad", by: 1, token: "ababababad") == nil)
    #expect(try passed("aaaaaaaaaaaab", by: 2, token: "aaaaaaaab") == nil)
  }

  @Test func `finds a token that contains what looks like an escape`() throws {
    #expect(try passed("x tok%41en12\\u0041 y", by: 1, token: "tok%41en12\\u0041") == nil)
  }

  @Test(arguments: 1...200) func `finds what a search of the entire text finds, and passes all else`(seed: Int) throws {
    var state = UInt64(seed)
    func letters(_ count: Int, of alphabet: String) -> String {
      let alphabet = Array(alphabet)
      return String(
        (0..<count).map { _ in
          // xorshift64, so that each run has the same texts.
          state ^= state << 13
          state ^= state >> 7
          state ^= state << 17
          return alphabet[Int(state % UInt64(alphabet.count))]
        })
    }
    let token = letters(9, of: "ab+/")
    let hidden = letters(1000, of: "ab+/\n") + token.dropLast(seed % 2) + letters(1000, of: "ab+/\n")
    let passed = try passed(hidden, by: seed % 40 + 1, token: token)
    #expect(passed == (hidden.hasPart(token) ? nil : hidden), "\(token)")
  }

  @Test func `withholds eight and more bytes of it`() throws {
    var screen = try screen()
    var passed: [UInt8] = []
    for (text, expected) in [
      ("a ya29.a0", "a ya29.a0"), ("-", ""), ("_b", "-_b"), ("%", "%"), ("41 ya29.", "41 ya29."), ("a0-_", ""),
      ("~%2", ""), ("B", ""), ("c", "a0-_~%2Bc"),
    ] {
      passed = []
      let isClear = screen.pass(Array(text.utf8).span, to: &passed)
      #expect(isClear && String(decoding: passed, as: UTF8.self) == expected, "\(text)")
    }
  }

  @Test(arguments: ["1f-kPq0aXw", "u8z0pQeRt1", "m9z0pQeRt1", "\n\nabcdefgh"]) func `passes an event without the next`(
    token: String
  ) throws {
    var screen = try screen(token)
    var passed: [UInt8] = []
    #expect(screen.pass(Array("data: 1\n\n".utf8).span, to: &passed))
    #expect(String(decoding: passed, as: UTF8.self) == "data: 1\n\n")
  }

  @Test func `looks for no token that could be part of any word`() throws {
    #expect(try passed("a word", by: 1, token: "word") == "a word")
  }

  @Test func `finds it in header fields`() throws {
    #expect(try screen().isFound(in: HTTPHeaders([("A", "b"), ("Link", "<https://a.example/?t=\(Self.token)>")])))
    #expect(try !screen().isFound(in: HTTPHeaders([("A", "b")])))
  }
}
