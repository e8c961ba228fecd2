internal import Encoding

/// A token in compact serialization (RFC 7515 section 7.1), checked as far as possible without a key.
struct CompactForm: Sendable {
  static let maximumByteCount = 65_536

  let header: JOSEHeader
  let payload: [UInt8]
  let signature: [UInt8]
  /// The first two parts with their dot, as received.
  var signedText: [UInt8] { signed.bytes }
  private let signed: WipedBytes
  /// The encoded length in bytes.
  private let headerCount: Int
  /// The encoded length in bytes.
  private let signatureCount: Int
  /// Whether the header equals the previous token's, and was copied from it.
  let hasKnownHeader: Bool

  /// Reuses the header of the previous token `last` if identical.
  init(_ compact: Span<UInt8>, after last: CompactForm? = nil) throws(JOSEError) {
    guard compact.count <= Self.maximumByteCount else { throw JOSEError(.tooLong) }
    do throws(JOSEError) {
      let known = last.flatMap { $0.hasHeader(of: compact) ? $0 : nil }
      let first = known?.headerCount ?? compact.indices.first { compact[$0] == UInt8(ascii: ".") }
      // Another dot is an invalid character of a part.
      let second = Self.lastDot(of: compact, signatureCount: known?.signatureCount)
      guard let first, let second, first < second else { throw JOSEError(.notCompact) }
      if let known {
        header = known.header
      } else {
        header = try JOSEHeader(parsing: Self.decode(compact.extracting(0..<first)))
      }
      guard second + 1 < compact.count else { throw JOSEError(.emptySignature) }
      payload = try Self.decode(compact.extracting((first + 1)..<second))
      // Some issuers set `cty` as for a nested token, although the payload is claims.
      let isObject = payload.first { $0 > UInt8(ascii: " ") } == UInt8(ascii: "{")
      if header.announcesToken, !isObject { throw JOSEError(.nested) }
      signature = try Self.decode(compact.extracting((second + 1)...))
      signed = WipedBytes(copying: compact.extracting(0..<second))
      headerCount = first
      hasKnownHeader = known != nil
      signatureCount = compact.count - second - 1
    } catch {
      // An error of the entire text takes precedence.
      try Self.checkForm(compact)
      throw error
    }
  }

  /// The index of the final dot. Tries the position that leaves `signatureCount` bytes first.
  private static func lastDot(of compact: Span<UInt8>, signatureCount: Int?) -> Int? {
    let dot = UInt8(ascii: ".")
    if let signatureCount, signatureCount < compact.count, compact[compact.count - signatureCount - 1] == dot {
      return compact.count - signatureCount - 1
    }
    return compact.indices.last { compact[$0] == dot }
  }

  private func hasHeader(of compact: Span<UInt8>) -> Bool {
    let bytes = signed.bytes
    guard headerCount < min(bytes.count, compact.count) else { return false }
    for index in 0...headerCount where bytes[index] != compact[index] { return false }
    return true
  }

  /// Throws unless `text` has three parts of base64url characters.
  private static func checkForm(_ text: Span<UInt8>) throws(JOSEError) {
    var dots = 0
    for index in text.indices {
      switch text[index] {
      case UInt8(ascii: "."): dots += 1
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): break
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): break
      // The beginning of a JSON serialization (RFC 7515 section 7.2).
      case UInt8(ascii: "{") where index == 0: throw JOSEError(.notCompact)
      default: throw JOSEError(.invalidCharacter)
      }
    }
    switch dots {
    case 2: return
    // Encrypted (RFC 7516 section 9).
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

/// Wipes the bytes when the last owner releases them.
private final class WipedBytes: @unchecked Sendable {
  // Only `init` and `deinit` write.
  private(set) var bytes: [UInt8] = []

  init(copying span: Span<UInt8>) {
    bytes.reserveCapacity(span.count)
    bytes.append(contentsOf: span)
  }

  deinit {
    for index in bytes.indices { bytes[index] = 0 }
  }
}
