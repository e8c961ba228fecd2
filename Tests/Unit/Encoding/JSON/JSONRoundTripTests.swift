@testable import Encoding
import Testing

@Suite struct `JSON round trips` {
  /// Compact texts in the form that we write.
  static let canonical = [
    "[null]", #"{"a":1,"b":[true,false,null],"c":{"d":"e"}}"#, #"["é € 𝄞"]"#, #"{"":""}"#,
    #"["\"\\/\b\f\n\r\t\u0000\u001f\u007f\u0080\u009f\u2028\u2029"]"#, "[-0,1.50,1e400,1E+3]", "[[],[[]],{}]",
    "[\"\u{A0}\u{2027}\u{202F}\u{FEFF}\"]", #"["\u061c\u200e\u200f\u202a\u202e\u2066\u2069"]"#, #"{"z":1,"a":2,"m":3}"#,
  ]

  @Test(arguments: canonical) func `writing what was read gives the same bytes`(text: String) throws {
    let json = try JSON(parsing: utf8(text))
    #expect(json.serialized() == utf8(text))
    #expect(try JSON(parsing: json.serialized()) == json)
  }

  @Test(arguments: canonical) func `a text that is cut off anywhere is refused at its end`(text: String) {
    let bytes = utf8(text)
    for length in 0..<bytes.count {
      #expect(throws: JSONError(code: .unexpectedEnd, offset: length), "cut at \(length)") {
        try JSON(parsing: Array(bytes.prefix(length)))
      }
    }
  }

  @Test(arguments: canonical) func `a flipped bit never does worse than an error`(text: String) throws {
    let bytes = utf8(text)
    for index in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[index] ^= 1 << UInt8(bit)
        guard let json = try? JSON(parsing: damaged) else { continue }
        #expect(try JSON(parsing: json.serialized()) == json)
      }
    }
  }

  @Test func `every character survives being written and read`() throws {
    for start in stride(from: 0 as UInt32, to: 0x110000, by: 0x1000) {
      var scalars = String.UnicodeScalarView()
      scalars.append(contentsOf: (start..<(start + 0x1000)).compactMap { Unicode.Scalar($0) })
      let all = String(scalars)
      let read = try JSON(parsing: JSON.string(all).serialized())
      #expect(isSame(read.string, all), "from \(start)")
    }
  }

  @Test func `escapes stand for the characters of RFC 8259 section 7`() throws {
    let json = try JSON(parsing: utf8(#""\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\ud834\udd1e\uDBFF\uDFFF\u0000""#))
    #expect(isSame(json.string, "\"\\/\u{8}\u{C}\n\r\tA\u{E9}\u{20AC}\u{1D11E}\u{10FFFF}\0"))
  }

  @Test func `strings are written escaped into a sink that cannot be copied`() {
    var sink = BoundedSink(limit: 100)
    sink.append(jsonString: "a\"b\u{1B}[0m\u{9B}/\u{2028}é")
    sink.append(jsonStringBytes: utf8("\\").span)
    sink.append(json: ["k": [1, true, "v"]])
    #expect(text(sink.bytes) == #""a\"b\u001b[0m\u009b/\u2028é""\\"{"k":[1,true,"v"]}"#)
  }

  @Test func `bytes that end inside a character are written as they are`() {
    var bytes: [UInt8] = []
    bytes.append(jsonStringBytes: ([0x61, 0xC2] as [UInt8]).span)
    bytes.append(jsonStringBytes: ([0xE2, 0x80] as [UInt8]).span)
    #expect(bytes == [0x22, 0x61, 0xC2, 0x22, 0x22, 0xE2, 0x80, 0x22])
  }
}
