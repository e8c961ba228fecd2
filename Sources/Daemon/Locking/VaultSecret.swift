internal import Crypto
internal import OAuth
internal import Platform
internal import Sessions

/// Reads a passphrase or a PIN that a client hands over as a descriptor.
enum VaultSecret {
  /// The most bytes one may have.
  static let maximumBytes = 1024

  /// - Throws: a configuration error when it is empty, too long, or not UTF-8.
  static func read(_ source: SharedDescriptor, _ cancellation: Cancellation) throws(SessionError) -> SharedSecret {
    try SecretContent.readLine(
      source, upTo: maximumBytes, or: .configuration(ConfigurationError(.passphrase, "")), cancellation,
      isValid: isUTF8)
  }

  /// Whether bytes are well-formed UTF-8 (RFC 3629 section 4). They are not copied anywhere.
  static func isUTF8(_ bytes: Span<UInt8>) -> Bool { (try? UTF8Span(validating: bytes)) != nil }
}
