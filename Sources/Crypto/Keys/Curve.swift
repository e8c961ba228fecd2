internal import COpenSSL

/// The NIST curves of RFC 7518 section 6.2.1.1.
package enum Curve: Sendable, Hashable, CaseIterable {
  case p256, p384, p521

  package var coordinateByteCount: Int {
    switch self {
    case .p256: 32
    case .p384: 48
    case .p521: 66
    }
  }

  /// libcrypto's name.
  var groupName: String {
    switch self {
    case .p256: "prime256v1"
    case .p384: "secp384r1"
    case .p521: "secp521r1"
    }
  }

  /// libcrypto's number.
  var groupNumber: Int32 {
    switch self {
    case .p256: NID_X9_62_prime256v1
    case .p384: NID_secp384r1
    case .p521: NID_secp521r1
    }
  }
}
