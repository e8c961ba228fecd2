internal import Crypto
internal import Platform
internal import Sessions

/// Reads a secret that the client hands over as a descriptor; it is never text.
enum ClientSecret {
  /// Kind of the secret.
  enum Kind {
    case clientSecret, refreshToken

    fileprivate var mostBytes: Int {
      switch self {
      case .clientSecret: 4096
      // Some servers pack all they know into a refresh token.
      case .refreshToken: 65_536
      }
    }

    fileprivate var unusable: SessionError {
      switch self {
      case .clientSecret: .configuration(ConfigurationError(.clientSecret, "the client secret"))
      case .refreshToken: .configuration(ConfigurationError(.refreshToken, "the refresh token"))
      }
    }
  }

  /// Time limit for the writer at the other end of the descriptor.
  static let patience = Duration.seconds(30)

  /// One line: a line feed at the end is not part of the secret.
  ///
  /// - Throws: a configuration error when there is no secret, or one that cannot be sent.
  static func read(_ source: SharedDescriptor, as kind: Kind = .clientSecret) throws(SessionError) -> SharedSecret {
    let (mostBytes, unusable) = (kind.mostBytes, kind.unusable)
    var buffer: SecretBytes
    do { buffer = try SecretBytes(zeroed: mostBytes) } catch { throw .memory }
    let count: Int
    do {
      count = try buffer.withMutableBytes { (bytes) throws(SystemError) in
        try source.readToEnd(into: &bytes, patience: patience)
      }
    } catch {
      throw unusable
    }
    return try buffer.withBytes { (bytes) throws(SessionError) in
      var end = count
      if end > 0, bytes[end - 1] == UInt8(ascii: "\n") { end -= 1 }
      if end > 0, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
      guard end > 0, end < mostBytes else { throw unusable }
      for index in 0..<end where !(0x20...0x7E).contains(bytes[index]) { throw unusable }
      return try shared(bytes.extracting(0..<end))
    }
  }

  static func make(_ text: String) throws(SessionError) -> SharedSecret {
    let bytes = Array(text.utf8)
    return try shared(bytes.span)
  }

  private static func shared(_ bytes: Span<UInt8>) throws(SessionError) -> SharedSecret {
    do { return SharedSecret(try SecretBytes(copying: bytes)) } catch { throw .memory }
  }
}
