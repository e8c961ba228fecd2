@testable import Encoding
import Testing

@Suite struct `Forms (RFC 6749 appendix B)` {
  private func encoded(_ text: String) -> String {
    var bytes: [UInt8] = []
    Form.appendEncoded(utf8(text).span, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private func error(_ bytes: [UInt8]) -> FormError? {
    do throws(FormError) {
      _ = try Form.parse(bytes.span)
      return nil
    } catch {
      return error
    }
  }

  private func field(_ name: String, _ value: String) -> FormField { FormField(name: name, value: value) }

  @Test func `the known answer of appendix B holds in both directions`() throws {
    #expect(encoded(" %&+£€") == "+%25%26%2B%C2%A3%E2%82%AC")
    #expect(try Form.parse("v=+%25%26%2B%C2%A3%E2%82%AC") == [field("v", " %&+£€")])
  }

  @Test func `letters, digits and four marks are the only bytes left as they are`() {
    let plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789*-._"
    for byte in UInt8.min...UInt8.max {
      var bytes: [UInt8] = []
      Form.appendEncoded([byte].span, to: &bytes)
      #expect(bytes.count == (plain.utf8.contains(byte) || byte == 0x20 ? 1 : 3), "byte \(byte)")
    }
    #expect(encoded(plain) == plain)
    #expect(encoded("a~b/c") == "a%7Eb%2Fc")
    #expect(encoded("") == "")
  }

  @Test func `fields are joined by ampersands, secret or not`() {
    var sink = BoundedSink(limit: 100)
    var isFirst = true
    Form.append(name: "grant_type", value: "authorization_code", to: &sink, isFirst: &isFirst)
    Form.append(name: "code", secret: utf8("a/b=&").span, to: &sink, isFirst: &isFirst)
    Form.append(name: "é", value: "", to: &sink, isFirst: &isFirst)
    #expect(text(sink.bytes) == "grant_type=authorization_code&code=a%2Fb%3D%26&%C3%A9=")
    #expect(!isFirst)
  }

  @Test func `every text survives being written and read`() throws {
    let all = String(String.UnicodeScalarView((0..<0x2FFF).compactMap { Unicode.Scalar($0 as UInt32) }))
    var bytes: [UInt8] = []
    var isFirst = true
    Form.append(name: all, value: all, to: &bytes, isFirst: &isFirst)
    #expect(try Form.parse(bytes.span, maximumBytes: 1 << 20) == [field(all, all)])
  }

  @Test func `fields are read in order`() throws {
    #expect(
      try Form.parse("code=a%2fb&state=x+y&iss=https://as.example") == [
        field("code", "a/b"), field("state", "x y"), field("iss", "https://as.example"),
      ])
    #expect(try Form.parse("") == [])
    #expect(try Form.parse("a") == [field("a", "")])
    #expect(try Form.parse("a=") == [field("a", "")])
    #expect(try Form.parse("a=b=c") == [field("a", "b=c")])
    #expect(try Form.parse("=v") == [field("", "v")])
    #expect(try Form.parse("&a=1&&b=2&") == [field("a", "1"), field("b", "2")])
  }

  @Test func `a name that comes twice is refused, however it is written (RFC 6749 section 3.1)`() throws {
    #expect(error(utf8("a=1&b=2&a=1")) == .duplicateName)
    #expect(error(utf8("a=1&%61=2")) == .duplicateName)
    #expect(try Form.parse("%C3%A9=1&e%CC%81=2").count == 2)
  }

  @Test func `a name that may repeat does so, in order (RFC 8707 section 2)`() throws {
    let bytes = utf8("a=1&b=2&%61=3")
    #expect(
      try Form.parse(bytes.span, repeatable: ["a"]) == [
        FormField(name: "a", value: "1"), FormField(name: "b", value: "2"), FormField(name: "a", value: "3"),
      ])
    #expect(throws: FormError.duplicateName) { try Form.parse(bytes.span, repeatable: ["b"]) }
  }

  @Test func `a bad percent-encoding is refused where it stands`() {
    #expect(error(utf8("a=%")) == .invalidPercentEncoding(offset: 2))
    #expect(error(utf8("a=%4")) == .invalidPercentEncoding(offset: 2))
    #expect(error(utf8("a=x%4&b=1")) == .invalidPercentEncoding(offset: 3))
    #expect(error(utf8("a=%zz")) == .invalidPercentEncoding(offset: 2))
    #expect(error(utf8("%=1")) == .invalidPercentEncoding(offset: 0))
    #expect(error(utf8("a=%%41")) == .invalidPercentEncoding(offset: 2))
  }

  @Test func `what is not UTF-8 once decoded is refused`() {
    #expect(error(utf8("a=%FF")) == .invalidUTF8)
    #expect(error(utf8("a=%C3")) == .invalidUTF8)
    #expect(error(utf8("%ED%A0%80=1")) == .invalidUTF8)
  }

  @Test func `bytes that should have been encoded are refused where they stand`() {
    #expect(error(utf8("a=b c")) == .invalidCharacter(offset: 3))
    #expect(error(utf8("a=\r\n")) == .invalidCharacter(offset: 2))
    #expect(error(utf8("a=é")) == .invalidCharacter(offset: 2))
    #expect(error([0x00]) == .invalidCharacter(offset: 0))
    #expect(error([0x61, 0x7F]) == .invalidCharacter(offset: 1))
  }

  @Test func `the number of fields and bytes is limited`() throws {
    let fields = (0..<64).map { "f\($0)=1" }.joined(separator: "&")
    #expect(try Form.parse(fields).count == 64)
    #expect(error(utf8(fields + "&x=1")) == .tooManyFields)
    #expect(error([UInt8](repeating: 0x61, count: 65_537)) == .tooLarge)
    #expect(try Form.parse(utf8("abc=d").span, maximumFields: 1, maximumBytes: 5) == [field("abc", "d")])
    #expect(throws: FormError.tooLarge) { try Form.parse(utf8("abc=de").span, maximumBytes: 5) }
  }
}
