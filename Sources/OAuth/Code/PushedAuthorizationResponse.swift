internal import Crypto
internal import Encoding

/// The response to a pushed authorization request (RFC 9126 section 2.2).
struct PushedAuthorizationResponse: Sendable, Hashable {
  /// Refers to the pushed request. Valid once.
  let requestURI: String
  /// In seconds from the response's time.
  let expiresIn: Int

  /// Limits ``requestURI``, which must fit into a URL.
  private static let maximumBytes = 1024

  /// Throws the server's error without the secrets in `sent`, or `malformedResponse`.
  static func parse(_ response: HTTPResponse, sent: [SharedSecret]) throws(OAuthError) -> PushedAuthorizationResponse {
    try response.body.withBytes { (bytes) throws(OAuthError) in
      // RFC 9126 section 2.2 requires 201; servers also send 200.
      let reader = try JSONResponseReader(
        response, bytes, subject: .endpoint(.pushedAuthorization), kind: .other, sent: sent,
        success: [200, 201])
      guard let uri = try reader.text("request_uri", in: bytes), isURI(uri) else {
        throw reader.malformed("request_uri")
      }
      guard let seconds = try reader.seconds("expires_in", in: bytes), seconds > 0 else {
        throw reader.malformed("expires_in")
      }
      return PushedAuthorizationResponse(requestURI: uri, expiresIn: seconds)
    }
  }

  private static func isURI(_ text: String) -> Bool {
    guard text.utf8.count <= maximumBytes, text.utf8.allSatisfy(\.isVisibleASCII) else { return false }
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let first = parts[0].utf8.first, !parts[1].isEmpty else { return false }
    let isLetter = { (byte: UInt8) in (0x61...0x7A).contains(byte | 0x20) }
    let isRest = { (byte: UInt8) in isLetter(byte) || (0x30...0x39).contains(byte) || [0x2B, 0x2D, 0x2E].contains(byte)
    }
    return isLetter(first) && parts[0].utf8.allSatisfy(isRest)
  }
}
