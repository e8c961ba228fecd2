/// Base64 with padding (RFC 4648 section 4). Decoding accepts exactly the output of encoding.
package enum Base64 {
  package static func append<S: ByteSink & ~Copyable>(_ bytes: Span<UInt8>, to sink: inout S) {
    Base64Alphabet.standard.append(bytes, to: &sink)
    for _ in 0..<((3 - bytes.count % 3) % 3) {
      sink.append(UInt8(ascii: "="))
    }
  }

  /// Not for secrets: a `String` cannot be wiped.
  package static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    append(bytes.span, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  package static func decode(_ text: String) throws(Base64URLError) -> [UInt8] {
    let view = text.utf8
    var bytes: [UInt8] = []
    try decode(view.span, to: &bytes)
    return bytes
  }

  /// May write some bytes before throwing. For secrets, use a sink that wipes itself.
  package static func decode<S: ByteSink & ~Copyable>(
    _ characters: Span<UInt8>, to sink: inout S
  ) throws(Base64URLError) {
    guard characters.count % 4 == 0 else { throw .impossibleLength }
    var count = characters.count
    while count > 0, characters.count - count < 2, characters[count - 1] == UInt8(ascii: "=") {
      count -= 1
    }
    try Base64Alphabet.standard.decode(characters, count: count, to: &sink)
  }
}
