internal import Encoding

/// The compact serialization (RFC 7515 section 7.1), checked as far as that needs no key.
struct CompactForm: Sendable {
  /// The longest token, in bytes.
  static let maximumByteCount = 65_536

  let header: JOSEHeader
  let payload: [UInt8]
  let signature: [UInt8]
  /// The first two parts with the dot between them, as received.
  var signedText: [UInt8] { signed.bytes }
  private let signed: WipedBytes

  init(_ compact: Span<UInt8>) throws(JOSEError) {
    let dots = try Self.findDots(compact)
    let (first, second) = (dots.0, dots.1)
    header = try JOSEHeader(parsing: Self.decode(compact.extracting(0..<first)))
    guard second + 1 < compact.count else { throw JOSEError(.emptySignature) }
    payload = try Self.decode(compact.extracting((first + 1)..<second))
    signature = try Self.decode(compact.extracting((second + 1)...))
    signed = WipedBytes(copying: compact.extracting(0..<second))
  }
}

extension CompactForm {
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

/// Bytes that are overwritten when the last owner releases them: a token without its signature.
private final class WipedBytes: @unchecked Sendable {
  // Written at the beginning and at the end only.
  private(set) var bytes: [UInt8] = []

  init(copying span: Span<UInt8>) {
    bytes.reserveCapacity(span.count)
    bytes.append(contentsOf: span)
  }

  deinit {
    for index in bytes.indices { bytes[index] = 0 }
  }
}
