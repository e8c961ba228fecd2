internal import Encoding
internal import Crypto
internal import OAuth
internal import Platform
internal import Sessions

/// Reads a secret from a descriptor passed by the client, without making a `String` of it.
enum ClientSecret {
  enum Kind {
    case clientSecret, refreshToken, assertion

    fileprivate var mostBytes: Int {
      switch self {
      case .clientSecret: 4096
      // Some servers encode much data in a refresh token.
      case .refreshToken: 65_536
      case .assertion: BearerAssertion.maximumBytes
      }
    }

    fileprivate var unusable: SessionError {
      switch self {
      case .clientSecret: .configuration(ConfigurationError(.clientSecret, "the client secret"))
      case .refreshToken: .configuration(ConfigurationError(.refreshToken, "the refresh token"))
      case .assertion: .assertion(.malformed, .handedOver)
      }
    }
  }

  /// Reads one line.
  ///
  /// - Throws: A configuration error if the secret is empty or cannot be sent.
  static func read(
    _ source: SharedDescriptor, as kind: Kind = .clientSecret, _ cancellation: Cancellation
  ) throws(SessionError) -> SharedSecret {
    try SecretContent.readLine(source, upTo: kind.mostBytes - 1, or: kind.unusable, cancellation) { bytes in
      bytes.indices.allSatisfy { bytes[$0].isPrintableASCII }
    }
  }

  static func make(_ text: String) throws(SessionError) -> SharedSecret {
    let bytes = Array(text.utf8)
    return try SecretContent.shared(bytes.span)
  }
}
