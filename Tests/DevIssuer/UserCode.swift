import Crypto

/// What the user types: eight consonants, so that no word can appear (RFC 8628 section 6.1).
struct UserCode: Sendable, Hashable {
  private static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ".utf8)
  private static let length = 8

  private let letters: [UInt8]

  /// Reads what was typed: case, hyphens and spaces do not matter (RFC 8628 section 6.1).
  init?(typed text: String) {
    guard text.utf8.count <= 64 else { return nil }
    let letters = text.utf8
      .filter { $0 != UInt8(ascii: "-") && $0 != ASCII.space }
      .map { ASCII.isLetter($0) ? $0 & 0xDF : $0 }
    guard letters.count == Self.length, letters.allSatisfy(Self.alphabet.contains) else { return nil }
    self.letters = letters
  }

  private init(letters: [UInt8]) {
    self.letters = letters
  }

  /// A new code; each of the 20^8 is as likely as the others.
  static func random() throws(CryptoError) -> UserCode {
    // Bytes from this on would make some letters more likely.
    let fair = UInt8(256 / alphabet.count * alphabet.count)
    var letters: [UInt8] = []
    while letters.count < length {
      for byte in try Random.bytes(2 * length) where byte < fair && letters.count < length {
        letters.append(alphabet[Int(byte) % alphabet.count])
      }
    }
    return UserCode(letters: letters)
  }

  /// In two groups, as it is shown.
  var text: String {
    String(decoding: letters.prefix(4) + [UInt8(ascii: "-")] + letters.suffix(4), as: UTF8.self)
  }
}
