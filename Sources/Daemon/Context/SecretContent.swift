internal import Crypto
internal import OAuth
internal import Platform
internal import Sessions

/// Reads secrets that a client hands over as descriptors. They are never text.
enum SecretContent {
  /// Longest wait for more of the content, until the writer at the other end of the descriptor closes it.
  private static let patience = Duration.seconds(30)

  /// Lends the whole content to `body`.
  ///
  /// - Parameters:
  ///   - mostBytes: Limit of the content.
  ///   - unusable: Thrown if the content is empty, too long or cannot be read.
  ///   - cancellation: Ends the wait; `cancelled` is thrown then.
  static func read<Result>(
    _ source: SharedDescriptor, upTo mostBytes: Int, or unusable: SessionError, _ cancellation: Cancellation,
    _ body: (Span<UInt8>) throws(SessionError) -> Result
  ) throws(SessionError) -> Result {
    var buffer: SecretBytes
    // Room for a byte too many.
    do { buffer = try SecretBytes(zeroed: mostBytes + 1) } catch { throw .memory }
    let count: Int
    do {
      count = try buffer.withMutableBytes { (bytes) throws(SystemError) in
        try source.readToEnd(into: &bytes, patience: patience) { cancellation.isCancelled }
      }
    } catch {
      throw cancellation.isCancelled ? .cancelled : unusable
    }
    guard (1...mostBytes).contains(count) else { throw unusable }
    return try buffer.withBytes { (bytes) throws(SessionError) in try body(bytes.extracting(..<count)) }
  }

  /// Reads one line; its end is not part of the secret.
  ///
  /// - Parameters:
  ///   - mostBytes: Limit of the secret.
  ///   - unusable: Thrown also if `isValid` is false.
  static func readLine(
    _ source: SharedDescriptor, upTo mostBytes: Int, or unusable: SessionError, _ cancellation: Cancellation,
    isValid: (Span<UInt8>) -> Bool
  ) throws(SessionError) -> SharedSecret {
    try read(source, upTo: mostBytes + 2, or: unusable, cancellation) { (bytes) throws(SessionError) in
      var end = bytes.count
      if bytes[end - 1] == UInt8(ascii: "\n") { end -= 1 }
      if end > 0, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
      let line = bytes.extracting(..<end)
      guard (1...mostBytes).contains(end), isValid(line) else { throw unusable }
      return try shared(line)
    }
  }

  /// - Throws: `memory` if the secure heap is full.
  static func shared(_ bytes: Span<UInt8>) throws(SessionError) -> SharedSecret {
    do { return SharedSecret(try SecretBytes(copying: bytes)) } catch { throw .memory }
  }
}

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
