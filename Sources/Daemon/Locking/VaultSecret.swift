internal import Crypto
internal import Platform
internal import Sessions

/// Reads a passphrase or a PIN that a client hands over as a descriptor; it is never text.
enum VaultSecret {
  /// The most bytes one may have.
  static let maximumBytes = 1024

  /// The whole content, but for one line feed at its end.
  ///
  /// - Throws: a configuration error when it is empty, too long, or not UTF-8.
  static func read(_ source: SharedDescriptor) throws(SessionError) -> SharedSecret {
    let unusable = SessionError.configuration(ConfigurationError(.passphrase, ""))
    // Room for the end of a line, and for a byte too many.
    let room = maximumBytes + 3
    var buffer: SecretBytes
    do { buffer = try SecretBytes(zeroed: room) } catch { throw .memory }
    let count: Int
    do {
      count = try buffer.withMutableBytes { (bytes) throws(SystemError) in
        try source.readToEnd(into: &bytes, patience: ClientSecret.patience)
      }
    } catch {
      throw unusable
    }
    return try buffer.withBytes { (bytes) throws(SessionError) in
      var end = count
      if end > 0, bytes[end - 1] == UInt8(ascii: "\n") { end -= 1 }
      if end > 0, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
      let text = bytes.extracting(0..<end)
      guard (1...maximumBytes).contains(end), isUTF8(text) else { throw unusable }
      do { return SharedSecret(try SecretBytes(copying: text)) } catch { throw .memory }
    }
  }

  /// Whether bytes are well-formed UTF-8 (RFC 3629 section 4). They are not copied anywhere.
  static func isUTF8(_ bytes: Span<UInt8>) -> Bool {
    var index = 0
    while index < bytes.count {
      let (length, second) = Self.form(of: bytes[index])
      guard length > 0, index + length <= bytes.count else { return false }
      for place in 1..<max(1, length) {
        let allowed = place == 1 ? second : 0x80...0xBF
        guard allowed.contains(bytes[index + place]) else { return false }
      }
      index += length
    }
    return true
  }

  /// How many bytes a character has that begins with this one, zero for none, and what the second may be.
  private static func form(of first: UInt8) -> (length: Int, second: ClosedRange<UInt8>) {
    switch first {
    case 0x00...0x7F: (1, 0x80...0xBF)
    case 0xC2...0xDF: (2, 0x80...0xBF)
    case 0xE0: (3, 0xA0...0xBF)
    case 0xED: (3, 0x80...0x9F)
    case 0xE1...0xEF: (3, 0x80...0xBF)
    case 0xF0: (4, 0x90...0xBF)
    case 0xF1...0xF3: (4, 0x80...0xBF)
    case 0xF4: (4, 0x80...0x8F)
    default: (0, 0x80...0xBF)
    }
  }
}
