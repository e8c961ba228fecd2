/// Why a request could not be read; the connection ends after the answer (RFC 9112 section 9.6).
enum RequestError: Error, Hashable, Sendable {
  case malformed
  case headTooLarge
  case bodyTooLarge
  case lengthRequired
  case transferCodingNotSupported
  case versionNotSupported
  case misdirected

  /// The status code of the answer (RFC 9110 section 15, RFC 6585 section 5).
  var status: Int {
    switch self {
    case .malformed: 400
    case .headTooLarge: 431
    case .bodyTooLarge: 413
    case .lengthRequired: 411
    case .transferCodingNotSupported: 501
    case .versionNotSupported: 505
    case .misdirected: 421
    }
  }
}
