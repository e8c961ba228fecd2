internal import Encoding
internal import Crypto
internal import OAuth
internal import Platform
internal import Wire

/// Reads keys passed by a client: a JWK Set or JWK (RFC 7517), or public keys or certificates in PEM (RFC 7468).
/// Blocking.
enum PassedKeys {
  /// The interval of cancellation checks.
  private static let pollInterval = Duration.milliseconds(100)

  /// Reads a key set and reports its defects. Throws `invalid_configuration` if it is malformed, too long or has no
  /// usable key.
  static func read(
    _ descriptor: SharedDescriptor, _ cancellation: Cancellation, report: (Phrase) -> Void
  ) throws(Failure) -> JWKSet {
    let keys = try parse(try content(descriptor, cancellation))
    keys.reportWarnings(report)
    guard !keys.keys.isEmpty else {
      throw Failure(
        .invalidConfiguration, "the key set contains no usable key",
        hint: "public keys: RSA of 2048 to 8192 bits, P-256, P-384, P-521 or Ed25519")
    }
    keys.reportUnusableKeys(keys.skippedCount, report)
    return keys
  }

  private static func content(_ descriptor: SharedDescriptor, _ cancellation: Cancellation) throws(Failure) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count <= JWKSet.maximumByteCount {
      if cancellation.isCancelled { throw Failure(.cancelled, "the check was cancelled") }
      do throws(SystemError) {
        guard try descriptor.descriptor.waitUntilReadable(timeout: pollInterval) else { continue }
        if try descriptor.descriptor.read(into: &bytes, upTo: 65_536) == 0 { return bytes }
      } catch {
        guard error.wouldBlock else {
          throw Failure(
            .invalidConfiguration, Phrase("cannot read the key set: \(Phrase(stringLiteral: error.message))"))
        }
      }
    }
    throw Failure(.invalidConfiguration, "the key set is longer than \(JWKSet.maximumByteCount) bytes")
  }

  private static func parse(_ bytes: [UInt8]) throws(Failure) -> JWKSet {
    if JWKSet.isPEM(bytes.span) { return try parsePEM(bytes) }
    let isSingle = (try? JSON(parsing: bytes))?.object.map { $0["kty"] != nil && $0["keys"] == nil } ?? false
    do throws(JOSEError) {
      return try JWKSet(
        parsing: isSingle ? Array(#"{"keys":["#.utf8) + bytes + Array("]}".utf8) : bytes, isPublished: false)
    } catch {
      let what: Phrase =
        switch error.code {
        case .tooManyKeys: Phrase("it has more than \(JWKSet.maximumKeyCount) keys")
        case .tooLong: Phrase("it is longer than \(JWKSet.maximumByteCount) bytes")
        default: Phrase("it is neither a JSON object with an array \"keys\" nor a single key")
        }
      throw Failure(.invalidConfiguration, Phrase("the key set is not valid: \(what)"))
    }
  }

  private static func parsePEM(_ bytes: [UInt8]) throws(Failure) -> JWKSet {
    do throws(JOSEError) { return try JWKSet(pem: bytes.span) } catch {
      let what: Phrase =
        switch error.code {
        case .embeddedPrivateKey: Phrase("it contains a private key; tokens are verified with public keys")
        case .weakKey: Phrase("an RSA key must have 2048 to 8192 bits, and an odd exponent")
        case .unsupportedKey: Phrase("it contains a key of an unsupported type")
        case .invalidKeySet: Phrase("it contains no PUBLIC KEY or CERTIFICATE")
        default: Phrase("a key in it is malformed")
        }
      throw Failure(.invalidConfiguration, Phrase("the PEM file is not valid: \(what)"))
    }
  }
}

extension JWKSet {
  func reportUnusableKeys(_ count: Int, _ report: (Phrase) -> Void) {
    if count > 0 { report(Phrase("ignored \(count) unusable keys in the set")) }
  }

  /// Warns about private and symmetric keys in the set.
  func reportWarnings(_ report: (Phrase) -> Void) {
    if warnings.contains(.privateKey) {
      report(Phrase("ignored a private key in the key set: tokens are verified with public keys"))
    } else if warnings.contains(.symmetricKey) {
      report(Phrase("ignored a symmetric key in the key set"))
    }
  }
}
