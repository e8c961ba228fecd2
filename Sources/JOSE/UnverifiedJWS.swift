package import Encoding

/// A signed token whose form was checked and whose signature was not (RFC 7515 section 7.1).
package struct UnverifiedJWS: Sendable {
  /// The longest token, in bytes.
  package static let maximumByteCount = 65_536

  private let joseHeader: JOSEHeader
  private let payload: [UInt8]
  private let signature: [UInt8]
  /// The first two parts with the dot between them, as received.
  private let signedText: [UInt8]

  /// Reads the compact serialization.
  ///
  /// - Parameter compact: At most 65,536 bytes, with a header of at most 8,192 bytes.
  /// - Throws: ``JOSEError``: how the text or the header is malformed, unsupported or unsafe.
  package init(compact: Span<UInt8>) throws(JOSEError) {
    let dots = try Self.findDots(compact)
    let (first, second) = (dots.0, dots.1)
    joseHeader = try JOSEHeader(parsing: Self.decode(compact.extracting(0..<first)))
    guard second + 1 < compact.count else { throw JOSEError(.emptySignature) }
    payload = try Self.decode(compact.extracting((first + 1)..<second))
    signature = try Self.decode(compact.extracting((second + 1)...))
    signedText = Array(copying: compact.extracting(0..<second))
  }

  /// All members of the header.
  package var header: JSONObject { joseHeader.members }
  /// `alg`, which the caller's list must hold (RFC 7515 section 4.1.1).
  package var algorithm: JWSAlgorithm { joseHeader.algorithm }
  /// `kid`, a hint which key to use (RFC 7515 section 4.1.4). An opaque text by anyone's hand.
  package var keyID: String? { joseHeader.keyID }
  /// `typ` (RFC 7515 section 4.1.9).
  package var type: String? { joseHeader.type }

  /// What the token says, by anyone's hand. For showing it to its owner only.
  package var unverifiedPayload: [UInt8] { payload }

  /// Checks the signature.
  ///
  /// Nothing is fetched: `keys` is the whole trust.
  ///
  /// - Parameters:
  ///   - keys: The issuer's keys.
  ///   - algorithms: Accepted `alg` values. The token only chooses among them (RFC 8725 section 3.1).
  ///   - allowedTypes: Accepted `typ` values; `JWT` or none unless said otherwise.
  /// - Throws: ``JOSEError``. `unknownKey` and `badSignature` may be cured by fetching the keys anew.
  package func verified(
    by keys: JWKSet, algorithms: Set<JWSAlgorithm>, allowedTypes: AllowedTypes = .optional(["JWT"])
  ) throws(JOSEError) -> VerifiedJWS {
    guard algorithms.contains(algorithm) else { throw JOSEError(.algorithmNotAllowed) }
    guard allowedTypes.allow(type) else { throw JOSEError(.wrongType) }
    let key = try keys.key(for: algorithm, keyID: keyID)
    guard try key.verify(algorithm, signature: signature.span, message: signedText.span)
    else { throw JOSEError(.badSignature) }
    return VerifiedJWS(header: header, payload: payload, algorithm: algorithm, keyID: keyID)
  }
}

extension UnverifiedJWS {
  /// Checks every character and finds the two dots.
  private static func findDots(_ text: Span<UInt8>) throws(JOSEError) -> (Int, Int) {
    guard text.count <= maximumByteCount else { throw JOSEError(.tooLong) }
    var dots: [Int] = []
    for index in text.indices {
      switch text[index] {
      case UInt8(ascii: "."): dots.append(index)
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): break
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): break
      // The JSON serializations of RFC 7515 section 7.2 begin like this.
      case UInt8(ascii: "{") where index == 0: throw JOSEError(.notCompact)
      default: throw JOSEError(.invalidCharacter)
      }
    }
    switch dots.count {
    case 2: return (dots[0], dots[1])
    // RFC 7516 section 9: five parts are an encrypted token.
    case 4: throw JOSEError(.encrypted)
    default: throw JOSEError(.notCompact)
    }
  }

  private static func decode(_ part: Span<UInt8>) throws(JOSEError) -> [UInt8] {
    do {
      return try Base64URL.decode(part)
    } catch {
      throw JOSEError(.invalidBase64URL)
    }
  }
}

extension [UInt8] {
  fileprivate init(copying bytes: Span<UInt8>) {
    self = []
    append(contentsOf: bytes)
  }
}

/// A token whose signature was checked with a key that the caller trusts. There is no other way to get one.
package struct VerifiedJWS: Sendable {
  /// All members of the header, which the signature covers.
  package let header: JSONObject
  /// What was signed.
  package let payload: [UInt8]
  /// The algorithm of the signature.
  package let algorithm: JWSAlgorithm
  /// The `kid` that chose the key; nil when the set had only one that fitted.
  package let keyID: String?

  fileprivate init(header: JSONObject, payload: [UInt8], algorithm: JWSAlgorithm, keyID: String?) {
    self.header = header
    self.payload = payload
    self.algorithm = algorithm
    self.keyID = keyID
  }
}
