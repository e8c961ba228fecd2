extension TPM.Key {
  // TPM 2.0 Library, part 2: the constants of sections 6.3 and 6.4, and the bits of section 8.3.
  /// `TPM_ALG_ECC`.
  private static let ecc = 0x0023
  /// `TPM_ALG_NULL`.
  private static let nullAlgorithm = 0x0010
  /// `TPM_ALG_ECDSA`.
  private static let ecdsa = 0x0018
  /// `TPM_ALG_SHA256`.
  private static let sha256 = 0x000B
  /// `TPM_ECC_NIST_P256`.
  private static let p256 = 0x0003
  /// `userWithAuth`: usable without a policy.
  private static let userWithAuthBit = 1 << 6
  /// The key signs only data that the TPM generated.
  private static let restrictedBit = 1 << 16
  /// The key can sign.
  private static let signingBit = 1 << 18
  /// The object identifier `id-loadablekey` (2.23.133.10.1.3).
  private static let loadable: [UInt8] = [0x67, 0x81, 0x05, 0x0A, 0x01, 0x03]

  /// Parses another program's key, a `TSS2 PRIVATE KEY` in DER, without asking the TPM whether it created the key.
  ///
  /// - Parameter der: At most ``TPM/maximumKeyLength`` bytes.
  /// - Throws: `invalidKey` if malformed; `unsupportedAlgorithm` unless the key signs any SHA-256 hash with ECDSA on
  ///   P-256, without a policy; `wrongAuthorization` for a key with its own authorization.
  package init(file der: Span<UInt8>) throws(CryptoError) {
    guard der.count <= TPM.maximumKeyLength else { throw Self.invalid }
    let bytes = der.indices.map { der[$0] }
    var whole = Fields(bytes[...])
    var fields = Fields(try whole.value(0x30))
    guard whole.isAtEnd, try fields.value(0x06).elementsEqual(Self.loadable) else { throw Self.invalid }
    var needsNone = false
    while let tag = fields.nextTag, tag & 0xE0 == 0xA0 {
      var content = Fields(try fields.value(tag))
      // It has a policy, is imported, or its parent has a policy.
      guard tag == 0xA0 else { throw CryptoError(.unsupportedAlgorithm, "TPM key") }
      // BER allows any nonzero value for TRUE, and the provider writes 1 (X.690 section 8.2.2).
      needsNone = try content.value(0x01).contains { $0 != 0 }
    }
    _ = try fields.value(0x02)
    let area = try fields.value(0x04)
    _ = try fields.value(0x04)
    guard fields.isAtEnd else { throw Self.invalid }
    let components = try Self.publicHalf(area)
    guard needsNone else { throw CryptoError(.wrongAuthorization, "TPM key") }
    self.init(serialized: bytes, publicComponents: components)
  }

  /// The key of a `TPM2B_PUBLIC` (part 2, section 12.2.5).
  private static func publicHalf(_ area: ArraySlice<UInt8>) throws(CryptoError) -> PublicComponents {
    let unsupported = CryptoError(.unsupportedAlgorithm, "TPM key")
    var outer = Fields(area)
    var fields = Fields(try outer.readSized())
    guard outer.isAtEnd else { throw invalid }
    guard try fields.number(2) == ecc else { throw unsupported }
    _ = try fields.number(2)
    let attributes = try fields.number(4)
    _ = try fields.readSized()
    guard attributes & (signingBit | restrictedBit) == signingBit, attributes & userWithAuthBit != 0,
      try fields.number(2) == nullAlgorithm
    else { throw unsupported }
    switch try fields.number(2) {
    case nullAlgorithm: break
    case ecdsa: guard try fields.number(2) == sha256 else { throw unsupported }
    default: throw unsupported
    }
    guard try fields.number(2) == p256, try fields.number(2) == nullAlgorithm else { throw unsupported }
    let (x, y) = (try coordinate(&fields), try coordinate(&fields))
    guard fields.isAtEnd else { throw invalid }
    return .ec(curve: .p256, x: x, y: y)
  }

  private static func coordinate(_ fields: inout Fields) throws(CryptoError) -> [UInt8] {
    let bytes = try fields.readSized()
    let width = Curve.p256.coordinateByteCount
    guard bytes.count <= width else { throw invalid }
    return [UInt8](repeating: 0, count: width - bytes.count) + bytes
  }

  private static var invalid: CryptoError { CryptoError(.invalidKey, "TPM key") }

  private struct Fields {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }
    var nextTag: UInt8? { rest.first }

    /// Reads the content of a DER value (X.690 section 8.1), at most 65,535 bytes.
    mutating func value(_ tag: UInt8) throws(CryptoError) -> ArraySlice<UInt8> {
      guard try number(1) == Int(tag) else { throw invalid }
      let first = try number(1)
      switch first {
      case 0..<0x80: return try take(first)
      case 0x81, 0x82: return try take(try number(first - 0x80))
      default: throw invalid
      }
    }

    /// Reads a value preceded by its length in two bytes.
    mutating func readSized() throws(CryptoError) -> ArraySlice<UInt8> { try take(try number(2)) }

    mutating func number(_ width: Int) throws(CryptoError) -> Int {
      try take(width).reduce(0) { $0 << 8 | Int($1) }
    }

    private mutating func take(_ count: Int) throws(CryptoError) -> ArraySlice<UInt8> {
      guard count <= rest.count else { throw invalid }
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }
  }
}
