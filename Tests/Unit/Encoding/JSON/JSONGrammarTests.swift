@testable import Encoding
import Testing

/// A text that the grammar rejects, and the error.
struct RefusedJSON: Sendable, CustomTestStringConvertible {
  let bytes: [UInt8]
  let error: JSONError

  init(_ text: String, _ code: JSONError.Code, at offset: Int) {
    self.init(Array(text.utf8), code, at: offset)
  }

  init(_ bytes: [UInt8], _ code: JSONError.Code, at offset: Int) {
    self.bytes = bytes
    error = JSONError(code: code, offset: offset)
  }

  var testDescription: String { "\(String(decoding: bytes, as: UTF8.self)) \(error.code)" }
}

@Suite struct `JSON grammar of RFC 8259` {
  static let accepted = [
    // Section 2: any value may be the whole text, and white space may surround each token.
    "null", "true", "false", "0", "\"\"", "[]", "{}", " \t\r\n[ \t\r\n1 \t\r\n, \t\r\n2 \t\r\n] \t\r\n",
    " { \"a\" : 1 , \"b\" : { } } ",
    // Section 4: names may be empty, and names of other objects may repeat.
    #"{"":0}"#, #"{"a":{"a":{"a":[]}}}"#, #"[{"a":1},{"a":2}]"#, #"{"a":1,"A":2}"#,
    #"{"a":1,"a\u0000":2}"#,
    // Section 5.
    "[[]]", "[[],[[]],{}]", "[null,true,false,1,\"x\"]",
    // Section 6.
    "-0", "-1", "10", "1.5", "0.000", "1e3", "1E3", "1e+3", "1e-03", "-0.0e-0", "[1e400]", "[-1e1000]", "1e300",
    "123456789012345678901234567890",
    // Section 7.
    #""\"\\\/\b\f\n\r\t""#, #""\u0000""#, #""\u00e9\u00E9""#, #""\ud834\udd1e""#, #""\uDBFF\uDFFF""#,
    #""\\u0041""#, #""\\\\""#, "\"\u{7F}\"", "\"é € 𝄞 \u{10FFFF}\"", "\"\u{2028}\u{FEFF}\u{FFFE}\"", #""//*""#,
  ]

  static let refused: [RefusedJSON] = [
    // Nothing, or not one value.
    RefusedJSON("", .unexpectedEnd, at: 0),
    RefusedJSON("  ", .unexpectedEnd, at: 2),
    RefusedJSON("1 2", .trailingBytes, at: 2),
    RefusedJSON("{}{}", .trailingBytes, at: 2),
    RefusedJSON("[]]", .trailingBytes, at: 2),
    RefusedJSON("truex", .trailingBytes, at: 4),
    RefusedJSON("null\0", .trailingBytes, at: 4),
    RefusedJSON("[] // end", .trailingBytes, at: 3),
    RefusedJSON("\u{FEFF}{}", .unexpectedByte, at: 0),
    RefusedJSON([0x7B, 0x00, 0x7D, 0x00], .unexpectedByte, at: 1),
    RefusedJSON("\u{A0}1", .unexpectedByte, at: 0),
    RefusedJSON("\u{0C}1", .unexpectedByte, at: 0),
    // Literals (section 3).
    RefusedJSON("True", .unexpectedByte, at: 0),
    RefusedJSON("nul", .unexpectedEnd, at: 3),
    RefusedJSON("nulL", .unexpectedByte, at: 3),
    RefusedJSON("NaN", .unexpectedByte, at: 0),
    RefusedJSON("-Infinity", .invalidNumber, at: 0),
    RefusedJSON("undefined", .unexpectedByte, at: 0),
    // Arrays (section 5).
    RefusedJSON("[", .unexpectedEnd, at: 1),
    RefusedJSON("[1", .unexpectedEnd, at: 2),
    RefusedJSON("[1,", .unexpectedEnd, at: 3),
    RefusedJSON("[1,]", .unexpectedByte, at: 3),
    RefusedJSON("[,1]", .unexpectedByte, at: 1),
    RefusedJSON("[1,,2]", .unexpectedByte, at: 3),
    RefusedJSON("[1 2]", .unexpectedByte, at: 3),
    RefusedJSON("[1:2]", .unexpectedByte, at: 2),
    RefusedJSON("[1}", .unexpectedByte, at: 2),
    RefusedJSON("]", .unexpectedByte, at: 0),
    RefusedJSON("[1;2]", .unexpectedByte, at: 2),
    // Objects (section 4).
    RefusedJSON("{", .unexpectedEnd, at: 1),
    RefusedJSON(#"{"a""#, .unexpectedEnd, at: 4),
    RefusedJSON(#"{"a":"#, .unexpectedEnd, at: 5),
    RefusedJSON(#"{"a"}"#, .unexpectedByte, at: 4),
    RefusedJSON(#"{"a":}"#, .unexpectedByte, at: 5),
    RefusedJSON(#"{"a" 1}"#, .unexpectedByte, at: 5),
    RefusedJSON(#"{"a"::1}"#, .unexpectedByte, at: 5),
    RefusedJSON(#"{"a":1,}"#, .unexpectedByte, at: 7),
    RefusedJSON(#"{,"a":1}"#, .unexpectedByte, at: 1),
    RefusedJSON(#"{"a":1 "b":2}"#, .unexpectedByte, at: 7),
    RefusedJSON(#"{"a":1]"#, .unexpectedByte, at: 6),
    RefusedJSON("{a:1}", .unexpectedByte, at: 1),
    RefusedJSON("{'a':1}", .unexpectedByte, at: 1),
    RefusedJSON("{1:1}", .unexpectedByte, at: 1),
    RefusedJSON("{null:1}", .unexpectedByte, at: 1),
    // Duplicate names (section 4), also when they are written differently.
    RefusedJSON(#"{"a":1,"a":1}"#, .duplicateMember, at: 7),
    RefusedJSON(#"{"a":1,"b":2,"\u0061":3}"#, .duplicateMember, at: 13),
    RefusedJSON(#"{"":1,"":2}"#, .duplicateMember, at: 6),
    RefusedJSON(#"[{"x":{"k":[],"l":{},"k":0}}]"#, .duplicateMember, at: 21),
    RefusedJSON(#"{"a":{"b":1},"a":2}"#, .duplicateMember, at: 13),
    // Numbers (section 6).
    RefusedJSON("-", .unexpectedEnd, at: 1),
    RefusedJSON("+1", .unexpectedByte, at: 0),
    RefusedJSON("01", .invalidNumber, at: 0),
    RefusedJSON("[-01]", .invalidNumber, at: 1),
    RefusedJSON("[00]", .invalidNumber, at: 1),
    RefusedJSON(".5", .unexpectedByte, at: 0),
    RefusedJSON("[1.]", .invalidNumber, at: 1),
    RefusedJSON("1.", .unexpectedEnd, at: 2),
    RefusedJSON("[1.e1]", .invalidNumber, at: 1),
    RefusedJSON("[1e]", .invalidNumber, at: 1),
    RefusedJSON("[1e+]", .invalidNumber, at: 1),
    RefusedJSON("[1e1.5]", .unexpectedByte, at: 4),
    RefusedJSON("[1.2.3]", .unexpectedByte, at: 4),
    RefusedJSON("[0x10]", .unexpectedByte, at: 2),
    RefusedJSON("[1_000]", .unexpectedByte, at: 2),
    RefusedJSON("[- 1]", .invalidNumber, at: 1),
    RefusedJSON("[--1]", .invalidNumber, at: 1),
    RefusedJSON("1\u{0661}", .trailingBytes, at: 1),
    RefusedJSON("[" + String(repeating: "1", count: 33) + "]", .numberTooLong, at: 1),
    // Strings (section 7).
    RefusedJSON("\"", .unexpectedEnd, at: 1),
    RefusedJSON("\"a", .unexpectedEnd, at: 2),
    RefusedJSON("'a'", .unexpectedByte, at: 0),
    RefusedJSON("\"\n\"", .unexpectedByte, at: 1),
    RefusedJSON("\"a\0\"", .unexpectedByte, at: 2),
    RefusedJSON("\"\u{1F}\"", .unexpectedByte, at: 1),
    RefusedJSON(#""\""#, .unexpectedEnd, at: 3),
    RefusedJSON(#""\a""#, .invalidEscape, at: 1),
    RefusedJSON(#""\x41""#, .invalidEscape, at: 1),
    RefusedJSON(#""\'""#, .invalidEscape, at: 1),
    RefusedJSON(#""\U0041""#, .invalidEscape, at: 1),
    RefusedJSON(#""\u004""#, .invalidEscape, at: 1),
    RefusedJSON(#""\u00g0""#, .invalidEscape, at: 1),
    RefusedJSON(#""\u+041""#, .invalidEscape, at: 1),
    RefusedJSON(#""\u 041""#, .invalidEscape, at: 1),
    RefusedJSON("\"\\\u{e9}\"", .invalidEscape, at: 1),
    // Surrogates (section 8.2).
    RefusedJSON(#""\ud800""#, .loneSurrogate, at: 1),
    RefusedJSON(#""\udc00""#, .loneSurrogate, at: 1),
    RefusedJSON(#""a\uDFFFb""#, .loneSurrogate, at: 2),
    RefusedJSON(#""\ud800x""#, .loneSurrogate, at: 1),
    RefusedJSON(#""\ud800\n""#, .loneSurrogate, at: 1),
    RefusedJSON(#""\ud800\u0041""#, .loneSurrogate, at: 1),
    RefusedJSON(#""\ud800\ud800\udc00""#, .loneSurrogate, at: 1),
    RefusedJSON(#""\udd1e\ud834""#, .loneSurrogate, at: 1),
    RefusedJSON(#"{"\ud800":1}"#, .loneSurrogate, at: 2),
    // UTF-8 (section 8.1, RFC 3629 section 3).
    RefusedJSON([0x22, 0x80, 0x22], .invalidUTF8, at: 1),
    RefusedJSON([0x22, 0xC0, 0x80, 0x22], .invalidUTF8, at: 1),
    RefusedJSON([0x22, 0xC1, 0xBF, 0x22], .invalidUTF8, at: 1),
    RefusedJSON([0x22, 0xC3, 0x22], .invalidUTF8, at: 1),
    RefusedJSON([0x22, 0xC3, 0x28, 0x22], .invalidUTF8, at: 1),
    RefusedJSON([0x22, 0xE0, 0x9F, 0xBF, 0x22], .invalidUTF8, at: 1),
    RefusedJSON([0x22, 0xED, 0xA0, 0x80, 0x22], .invalidUTF8, at: 1),
    RefusedJSON([0x22, 0xE2, 0x82, 0x22], .invalidUTF8, at: 1),
    RefusedJSON([0x22, 0xF0, 0x8F, 0xBF, 0xBF, 0x22], .invalidUTF8, at: 1),
    RefusedJSON([0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], .invalidUTF8, at: 1),
    RefusedJSON([0x22, 0xF5, 0x80, 0x80, 0x80, 0x22], .invalidUTF8, at: 1),
    RefusedJSON([0x22, 0xFF, 0x22], .invalidUTF8, at: 1),
    RefusedJSON([0x22, 0x61, 0xE9, 0x22], .invalidUTF8, at: 2),
    RefusedJSON([0xE9], .unexpectedByte, at: 0),
    RefusedJSON([0x22, 0xE2, 0x82], .unexpectedEnd, at: 3),
  ]

  @Test(arguments: accepted) func `a text within the grammar is accepted`(text: String) throws {
    _ = try JSON(parsing: utf8(text))
    _ = try JSONLayout(parsing: utf8(text))
  }

  @Test(arguments: refused) func `a text outside the grammar is refused where it goes wrong`(text: RefusedJSON) {
    #expect(throws: text.error) { try JSON(parsing: text.bytes) }
    #expect(throws: text.error) { try JSONLayout(parsing: text.bytes) }
  }

  @Test func `names that are only canonically equivalent are different names (RFC 8259 section 8.3)`() throws {
    let json = try JSON(parsing: utf8("{\"\u{E9}\":1,\"e\u{301}\":2}"))
    #expect(json["\u{E9}"]?.int == 1)
    #expect(json["e\u{301}"]?.int == 2)
  }
}
