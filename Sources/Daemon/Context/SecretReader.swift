internal import Crypto
internal import OAuth
internal import Platform
internal import Sessions

/// Reads secrets from descriptors passed by a client. They never become a `String`.
enum SecretReader {
  private static let readTimeout = Duration.seconds(30)

  /// Passes the entire content to `body`. Throws `cancelled`, or the error that `unusable` returns for the problem.
  static func read<Result>(
    _ source: SharedDescriptor, upTo maximumBytes: Int,
    or unusable: (ConfigurationError.SecretProblem) -> SessionError, _ cancellation: Cancellation,
    _ body: (Span<UInt8>) throws(SessionError) -> Result
  ) throws(SessionError) -> Result {
    var buffer: SecretBytes
    // One extra byte detects content that is too long.
    do { buffer = try SecretBytes(zeroed: maximumBytes + 1) } catch { throw .memory }
    let count: Int
    do {
      count = try buffer.withMutableBytes { (bytes) throws(SystemError) in
        try source.readToEnd(into: &bytes, timeout: readTimeout) { cancellation.isCancelled }
      }
    } catch {
      throw cancellation.isCancelled ? .cancelled : unusable(.unreadable)
    }
    guard (1...maximumBytes).contains(count) else { throw unusable(count == 0 ? .empty : .tooLong) }
    return try buffer.withBytes { (bytes) throws(SessionError) in try body(bytes.extracting(..<count)) }
  }

  /// Reads one line, without its line break. Throws like ``read(_:upTo:or:_:_:)``.
  static func readLine(
    _ source: SharedDescriptor, upTo maximumBytes: Int,
    or unusable: (ConfigurationError.SecretProblem) -> SessionError, _ cancellation: Cancellation,
    isValid: (Span<UInt8>) -> Bool
  ) throws(SessionError) -> SharedSecret {
    try read(source, upTo: maximumBytes + 2, or: unusable, cancellation) { (bytes) throws(SessionError) in
      var end = bytes.count
      if bytes[end - 1] == UInt8(ascii: "\n") { end -= 1 }
      if end > 0, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
      let line = bytes.extracting(..<end)
      guard (1...maximumBytes).contains(end) else { throw unusable(end == 0 ? .empty : .tooLong) }
      guard isValid(line) else { throw unusable(.malformed) }
      return try secureCopy(of: line)
    }
  }

  /// Copies bytes to the secure heap. Throws `memory` if the heap is full.
  static func secureCopy(of bytes: Span<UInt8>) throws(SessionError) -> SharedSecret {
    do { return SharedSecret(try SecretBytes(copying: bytes)) } catch { throw .memory }
  }
}

/// Reads a client's passphrase or PIN.
enum VaultSecret {
  static let maximumBytes = 1024

  /// Throws a configuration error if the secret is empty, too long or not UTF-8.
  static func read(_ source: SharedDescriptor, _ cancellation: Cancellation) throws(SessionError) -> SharedSecret {
    try SecretReader.readLine(
      source, upTo: maximumBytes, or: { _ in .configuration(ConfigurationError(.invalidPassphrase, "")) },
      cancellation, isValid: isUTF8)
  }

  static func isUTF8(_ bytes: Span<UInt8>) -> Bool { (try? UTF8Span(validating: bytes)) != nil }
}
