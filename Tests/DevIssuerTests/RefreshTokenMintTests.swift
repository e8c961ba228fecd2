import Encoding
import Testing

@testable import devissuer

@Suite struct `Refresh tokens` {
  @Test func `a mint recognises its own tokens`() throws {
    let mint = try RefreshTokenMint()
    let content = RefreshTokenMint.Content(grant: try .random(), sequence: 0x0102_0304_0506_0708)
    #expect(try mint.content(of: try mint.token(content)) == content)
    #expect(try RefreshTokenMint().content(of: try mint.token(content)) == nil)
  }

  @Test func `a token with any bit changed is not recognised`() throws {
    let mint = try RefreshTokenMint()
    let token = try mint.token(RefreshTokenMint.Content(grant: try .random(), sequence: 7))
    let bytes = try Base64URL.decode(token)
    for bit in 0..<(8 * bytes.count) {
      var changed = bytes
      changed[bit / 8] ^= 1 << (bit % 8)
      #expect(try mint.content(of: Base64URL.encode(changed)) == nil, "bit \(bit)")
    }
    for count in 0..<token.utf8.count {
      #expect(try mint.content(of: String(token.prefix(count))) == nil, "\(count) characters")
    }
  }
}
