internal import COpenSSL

enum ECPoint {
  /// Creates a public key if the point is on the curve.
  static func makeKey(curve: Curve, x: [UInt8], y: [UInt8]) throws(CryptoError) -> KeyHandle {
    ErrorQueue.clear()
    // Uncompressed (SEC 1 section 2.3.3).
    var point = [4] + x + y
    var group = curve.groupName.utf8CString
    // The parameters point into both arrays.
    let made = try unsafe point.withUnsafeMutableBufferPointer { (point) throws(CryptoError) in
      try unsafe group.withUnsafeMutableBufferPointer { (group) throws(CryptoError) in
        var parameters = unsafe [
          OSSL_PARAM_construct_utf8_string(agent_name_group(), group.baseAddress, 0),
          OSSL_PARAM_construct_octet_string(agent_name_public_key(), point.baseAddress, point.count),
          OSSL_PARAM_construct_end(),
        ]
        return try unsafe KeyHandle.makePublicKey(named: "EC", &parameters)
      }
    }
    let key = unsafe KeyHandle(owning: made)
    try key.checkPublicPart()
    return key
  }
}
