internal import Encoding
internal import Crypto
internal import OAuth
internal import Platform
internal import Sessions

/// Reads a secret from a descriptor passed by the client.
enum ClientSecret {
  struct Kind {
    let maximumBytes: Int
    let unusable: SessionError

    static let clientSecret = Kind(
      maximumBytes: 4096, unusable: .configuration(ConfigurationError(.clientSecret, "the client secret")))
    /// Some servers encode much data in a refresh token.
    static let refreshToken = Kind(
      maximumBytes: 65_536, unusable: .configuration(ConfigurationError(.refreshToken, "the refresh token")))
    static let assertion = Kind(
      maximumBytes: BearerAssertion.maximumBytes, unusable: .assertion(.malformed, .signInRequest))
  }

  /// Reads one line.
  ///
  /// - Throws: A configuration error if the secret is empty or cannot be sent.
  static func read(
    _ source: SharedDescriptor, as kind: Kind = .clientSecret, _ cancellation: Cancellation
  ) throws(SessionError) -> SharedSecret {
    try SecretContent.readLine(source, upTo: kind.maximumBytes - 1, or: kind.unusable, cancellation) { bytes in
      bytes.indices.allSatisfy { bytes[$0].isPrintableASCII }
    }
  }

  /// Copies a secret to the secure heap.
  static func make(_ text: String) throws(SessionError) -> SharedSecret {
    let bytes = Array(text.utf8)
    return try SecretContent.shared(bytes.span)
  }
}
