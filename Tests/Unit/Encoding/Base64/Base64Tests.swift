import Encoding
import Testing

@Suite struct `Base64 (RFC 4648)` {
  /// RFC 4648 section 10.
  static let vectors = [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
    ("foobar", "Zm9vYmFy"),
  ]

  private func urlError(_ text: String) -> Base64URLError? {
    do throws(Base64URLError) {
      _ = try Base64URL.decode(text)
      return nil
    } catch {
      return error
    }
  }

  private func error(_ text: String) -> Base64URLError? {
    do throws(Base64URLError) {
      _ = try Base64.decode(text)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: vectors) func `the known answers of section 10 hold`(plain: String, encoded: String) throws {
    #expect(Base64.encode(utf8(plain)) == encoded)
    #expect(try Base64.decode(encoded) == utf8(plain))
    let bare = encoded.filter { $0 != "=" }
    #expect(Base64URL.encode(utf8(plain)) == bare)
    #expect(try Base64URL.decode(bare) == utf8(plain))
    #expect(Base64URL.encodedCount(plain.utf8.count) == bare.utf8.count)
  }

  @Test func `the two alphabets differ in their last two characters (sections 4 and 5)`() throws {
    let bytes: [UInt8] = [0xFB, 0xEF, 0xFF, 0xFE]
    #expect(Base64.encode(bytes) == "++///g==")
    #expect(Base64URL.encode(bytes) == "--___g")
    #expect(try Base64URL.decode("--___g") == bytes)
    #expect(urlError("++//") == .invalidCharacter(offset: 0))
    #expect(error("--__") == .invalidCharacter(offset: 0))
  }

  @Test func `the example of RFC 7515 appendix C holds`() throws {
    #expect(Base64URL.encode([3, 236, 255, 224, 193]) == "A-z_4ME")
    #expect(try Base64URL.decode("A-z_4ME") == [3, 236, 255, 224, 193])
  }

  @Test func `all lengths and bytes survive`() throws {
    for length in 0..<70 {
      let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ length) }
      #expect(try Base64URL.decode(Base64URL.encode(bytes)) == bytes)
      #expect(try Base64.decode(Base64.encode(bytes)) == bytes)
    }
  }

  @Test func `a length that leaves one character over is impossible`() {
    #expect(urlError("A") == .impossibleLength)
    #expect(urlError("AAAAA") == .impossibleLength)
    #expect(error("Zg=") == .impossibleLength)
    #expect(error("Zg") == .impossibleLength)
    #expect(error("=") == .impossibleLength)
  }

  @Test(arguments: [("Zh", "Zh=="), ("Zm9", "Zm9="), ("AB", "AB=="), ("AAB", "AAB=")])
  func `stray low bits are refused (section 3.5)`(bare: String, padded: String) {
    #expect(urlError(bare) == .nonCanonical)
    #expect(error(padded) == .nonCanonical)
  }

  @Test func `of all last characters only the canonical ones are accepted`() {
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    #expect(alphabet.filter { urlError("A\($0)") == nil } == "AQgw")
    #expect(alphabet.filter { urlError("AA\($0)") == nil } == "AEIMQUYcgkosw048")
  }

  @Test func `padding, white space and other characters are refused where they stand (section 3.3)`() {
    #expect(urlError("Zg==") == .invalidCharacter(offset: 2))
    #expect(urlError("Zm9v\n") == .impossibleLength)
    #expect(urlError("Zm9vZg\n") == .invalidCharacter(offset: 6))
    #expect(urlError(" Zm9v") == .impossibleLength)
    #expect(urlError("Zm 9") == .invalidCharacter(offset: 2))
    #expect(urlError("Zm.9") == .invalidCharacter(offset: 2))
    #expect(urlError("Zmé") == .invalidCharacter(offset: 2))
    #expect(error("Zg==Zg==") == .invalidCharacter(offset: 2))
    #expect(error("Z===") == .invalidCharacter(offset: 1))
    #expect(error("====") == .invalidCharacter(offset: 0))
    #expect(error("Zm9\n") == .invalidCharacter(offset: 3))
  }

  @Test func `every byte outside the alphabet is refused`() {
    let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    for byte in UInt8.min...UInt8.max where !alphabet.contains(byte) {
      #expect(throws: Base64URLError.invalidCharacter(offset: 1)) {
        try Base64URL.decode([0x41, byte, 0x41, 0x41].span)
      }
    }
  }

  @Test func `bytes are written to a sink that cannot be copied`() {
    var sink = BoundedSink(limit: 5)
    Base64URL.append(utf8("fo").span, to: &sink)
    #expect(text(sink.bytes) == "Zm8")
    Base64.append(utf8("f").span, to: &sink)
    #expect(text(sink.bytes) == "Zm8Zg")
    let overflowed = sink.overflowed
    #expect(overflowed)
  }
}
