internal import COpenSSL

/// Converts ECDSA signatures between JOSE's fixed-width R and S (RFC 7518 section 3.4) and libcrypto's DER (RFC 3279
/// section 2.2.3).
@safe struct ECDSASignature: ~Copyable {
  private let raw: OpaquePointer

  private init(owning signature: OpaquePointer) {
    unsafe raw = signature
  }

  deinit {
    unsafe ECDSA_SIG_free(raw)
  }

  /// Encodes R and S, the halves of `fixed`, unchecked, since verifying rejects numbers outside 1...n - 1.
  static func encodeDER(_ fixed: Span<UInt8>) throws(CryptoError) -> [UInt8] {
    guard let object = unsafe ECDSA_SIG_new() else { throw .library("ECDSA_SIG_new") }
    let signature = unsafe ECDSASignature(owning: object)
    let half = fixed.count / 2
    let r = unsafe number(fixed.extracting(0..<half))
    let s = unsafe number(fixed.extracting(half...))
    // On success, the signature owns the numbers. Fails only if one is missing.
    guard unsafe ECDSA_SIG_set0(signature.raw, r, s) == 1 else {
      unsafe BN_free(r)
      unsafe BN_free(s)
      throw .library("ECDSA_SIG_set0")
    }
    // Lengths, tags and signs need at most eleven bytes.
    var der = [UInt8](repeating: 0, count: fixed.count + 16)
    let count = unsafe der.withUnsafeMutableBufferPointer { buffer in
      var end = buffer.baseAddress
      return unsafe i2d_ECDSA_SIG(signature.raw, &end)
    }
    guard count > 0, Int(count) <= der.count else { throw .library("i2d_ECDSA_SIG") }
    der.removeSubrange(Int(count)...)
    return der
  }

  static func decodeDER(_ der: [UInt8], curve: Curve) throws(CryptoError) -> [UInt8] {
    let object = unsafe der.withUnsafeBufferPointer { buffer in
      var start = buffer.baseAddress
      return unsafe d2i_ECDSA_SIG(nil, &start, buffer.count)
    }
    guard let object = unsafe object else { throw .library("d2i_ECDSA_SIG") }
    let signature = unsafe ECDSASignature(owning: object)
    let width = curve.coordinateByteCount
    let r = try unsafe bytes(ECDSA_SIG_get0_r(signature.raw), width)
    let s = try unsafe bytes(ECDSA_SIG_get0_s(signature.raw), width)
    return r + s
  }

  private static func number(_ bytes: Span<UInt8>) -> OpaquePointer? {
    unsafe bytes.withUnsafeBufferPointer { unsafe BN_bin2bn($0.baseAddress, Int32($0.count), nil) }
  }

  private static func bytes(_ number: OpaquePointer?, _ width: Int) throws(CryptoError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: width)
    guard unsafe BN_bn2binpad(number, &bytes, Int32(width)) == Int32(width) else { throw .library("BN_bn2binpad") }
    return bytes
  }
}
