package import Crypto
internal import Encoding

/// A shared secret for verifying tokens with HMAC, read from a file: raw bytes, or a JSON Web Key of type `oct` (RFC
/// 7518 section 6.4).
///
/// Asymmetric keys and certificates are rejected: everyone who has a public key could create valid tokens with it (RFC
/// 8725 section 2.1).
package struct MACKey: Sendable {
  /// The maximum file size, in bytes.
  package static let maximumByteCount = 16_384

  package let secret: SharedSecret
  /// The `alg`, if present: the key's only permitted algorithm (RFC 7517 section 4.4).
  package let algorithm: MACAlgorithm?

  /// Parses a file. A trailing newline of a text file is dropped; every byte of a binary file is part of the secret.
  ///
  /// - Parameter content: The file, on the secure heap.
  /// - Throws: ``JOSEError``: `tooLong` for more than ``maximumByteCount`` bytes; `unsuitableKey` for an asymmetric key
  ///   or certificate; `weakKey` for a secret shorter than the shortest hash; `unsupportedKey`, `invalidKey`.
  package init(_ content: Span<UInt8>) throws(JOSEError) {
    guard content.count <= Self.maximumByteCount else { throw JOSEError(.tooLong) }
    if let layout = try? JSONLayout(parsing: content), layout.root.kind == .object {
      (secret, algorithm) = try Self.webKey(layout.root, content)
    } else {
      guard !Self.isAsymmetricKey(content), !Self.isEncodedKeyPair(content) else { throw JOSEError(.unsuitableKey) }
      let bytes = content.extracting(..<Self.end(of: content))
      do { secret = SharedSecret(try SecretBytes(copying: bytes)) } catch { throw JOSEError(error) }
      algorithm = nil
    }
    let least = (algorithm ?? .HS256).minimumSecretByteCount
    guard secret.bytes.count >= least else { throw JOSEError(.weakKey) }
  }

  /// Reads a JSON Web Key (RFC 7518 section 6.4). `use` and `key_ops` must allow verifying (RFC 7517 sections 4.2 and
  /// 4.3).
  private static func webKey(
    _ root: JSONLayout.Node, _ text: Span<UInt8>
  ) throws(JOSEError) -> (SharedSecret, MACAlgorithm?) {
    func holds(_ node: JSONLayout.Node?, _ word: String) -> Bool {
      node?.string(in: text).map { $0.hasSameBytes(as: word) } ?? false
    }
    guard holds(root["kty"], "oct"), root["use"] == nil || holds(root["use"], "sig"),
      root["key_ops"].map({ $0.elements.contains { holds($0, "verify") } }) ?? true
    else { throw JOSEError(.unsuitableKey) }
    var algorithm: MACAlgorithm?
    if let node = root["alg"] {
      algorithm = node.string(in: text).flatMap(MACAlgorithm.init(name:))
      if algorithm == nil { throw JOSEError(.unsupportedKey) }
    }
    guard let node = root["k"], let count = node.stringByteCount, count > 0 else { throw JOSEError(.invalidKey) }
    var characters = SecretBuffer(capacity: count)
    var bytes = SecretBuffer(capacity: count)
    node.appendString(in: text, to: &characters)
    do {
      try characters.withBytes { (text) throws(Base64URLError) in try Base64URL.decode(text, to: &bytes) }
    } catch {
      throw JOSEError(.invalidKey)
    }
    do { return (SharedSecret(try bytes.finish()), algorithm) } catch { throw JOSEError(error) }
  }

  // MARK: - Rejected content

  /// Whether the bytes are or contain an asymmetric key or certificate: PEM (RFC 7468), SSH formats (RFC 4253 section
  /// 6.6, RFC 4716), JSON other than a shared secret, or DER.
  private static func isAsymmetricKey(_ bytes: Span<UInt8>) -> Bool {
    bytes.hasPart("-----BEGIN") || bytes.hasPart("---- BEGIN") || bytes.hasPart("ssh-rsa ")
      || bytes.hasPart("ssh-ed25519 ") || bytes.hasPart("ecdsa-sha2-") || bytes.hasPart("\"kty\"")
      || DERKey.isAtStart(of: bytes) || (try? JSONLayout(parsing: bytes))?.root.kind == .object
  }

  /// Whether the bytes are an asymmetric key in base64, for example PEM without its first and last line.
  private static func isEncodedKeyPair(_ bytes: Span<UInt8>) -> Bool {
    var characters = SecretBuffer(capacity: bytes.count)
    var decoded = SecretBuffer(capacity: bytes.count)
    for index in bytes.indices {
      switch bytes[index] {
      case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: "="): break
      case UInt8(ascii: "+"): characters.append(UInt8(ascii: "-"))
      case UInt8(ascii: "/"): characters.append(UInt8(ascii: "_"))
      case let byte: characters.append(byte)
      }
    }
    do {
      try characters.withBytes { (text) throws(Base64URLError) in try Base64URL.decode(text, to: &decoded) }
    } catch {
      return false
    }
    return decoded.withBytes { isAsymmetricKey($0) }
  }

  /// The length without the trailing newline of a text file.
  private static func end(of bytes: Span<UInt8>) -> Int {
    var end = bytes.count
    if end > 0, bytes[end - 1] == UInt8(ascii: "\n") { end -= 1 }
    if end > 0, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
    let isText = (0..<end).allSatisfy { bytes[$0] >= 0x20 && bytes[$0] != 0x7F }
    return isText ? end : bytes.count
  }
}
