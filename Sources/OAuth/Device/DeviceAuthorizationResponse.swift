package import Crypto
internal import Encoding

/// The codes for a sign-in on another device (RFC 8628 section 3.2).
package final class DeviceAuthorizationResponse: Sendable {
  /// In seconds (RFC 8628 section 3.2).
  package static let defaultInterval = 5
  /// In seconds; longer than any code is valid.
  package static let maximumInterval = 86_400

  /// Used for polling, never shown (RFC 8628 section 3.3).
  package let deviceCode: SharedSecret
  /// Shown unchanged, since servers accept different spellings.
  package let userCode: String
  /// The URL to open: https, or loopback http if the account allows it.
  package let verificationURI: String
  /// The URL with the code. Nil if none is safe to open.
  package let verificationURIComplete: String?
  /// Seconds until both codes expire, from the response's time.
  package let expiresIn: Int
  /// Seconds between polls.
  package let interval: Int

  /// Throws the server's error, or `malformedResponse`, also for characters that a terminal hides.
  package static func parse(_ response: HTTPResponse) throws(OAuthError) -> DeviceAuthorizationResponse {
    try parse(response, allowHTTPLoopback: false, sent: [])
  }

  /// Removes the secrets in `sent` from errors.
  static func parse(
    _ response: HTTPResponse, allowHTTPLoopback: Bool, sent: [SharedSecret], format: ResponseFormat = .init()
  ) throws(OAuthError) -> DeviceAuthorizationResponse {
    try response.body.withBytes { (bytes) throws(OAuthError) in
      let reader = try JSONResponseReader(
        response, bytes, subject: .endpoint(.deviceAuthorization), kind: .other, sent: sent, format: format)
      return try DeviceAuthorizationResponse(reader, bytes, allowHTTPLoopback)
    }
  }

  private init(
    _ reader: borrowing JSONResponseReader, _ bytes: Span<UInt8>, _ allowHTTPLoopback: Bool
  ) throws(OAuthError) {
    guard let deviceCode = try reader.secret("device_code", in: bytes, allowed: 0x20...0x7E) else {
      throw reader.malformed("device_code")
    }
    self.deviceCode = deviceCode
    guard let userCode = try Self.printableText("user_code", limit: 128, reader, bytes) else {
      throw reader.malformed("user_code")
    }
    self.userCode = userCode
    guard let uri = try Self.url("", reader, bytes, allowHTTPLoopback) else {
      throw reader.malformed("verification_uri")
    }
    verificationURI = uri
    verificationURIComplete = try? Self.url("_complete", reader, bytes, allowHTTPLoopback)
    guard let expiresIn = try reader.seconds("expires_in", in: bytes), expiresIn > 0 else {
      throw reader.malformed("expires_in")
    }
    self.expiresIn = expiresIn
    interval = Self.interval(reader.member("interval").map { $0.value(in: bytes) })
  }

  /// The URL in `verification_uri`, or Google's `verification_url`, plus `suffix`; nil if absent.
  private static func url(
    _ suffix: String, _ reader: borrowing JSONResponseReader, _ bytes: Span<UInt8>, _ allowHTTPLoopback: Bool
  ) throws(OAuthError) -> String? {
    for name in ["verification_uri", "verification_url"] {
      if reader.member(name + suffix)?.stringByteCount == 0 { continue }
      guard let text = try printableText(name + suffix, limit: 2048, reader, bytes) else { continue }
      // In a browser, `javascript`, for example, is dangerous.
      guard let uri = try? URI(text), uri.isHTTPS || (allowHTTPLoopback && uri.isHTTPLoopback) else {
        throw reader.malformed(name + suffix)
      }
      return text
    }
    return nil
  }

  /// Nil if absent. Throws if a terminal would hide or interpret characters.
  private static func printableText(
    _ name: String, limit: Int, _ reader: borrowing JSONResponseReader, _ bytes: Span<UInt8>
  ) throws(OAuthError) -> String? {
    guard let text = try reader.text(name, in: bytes) else { return nil }
    guard (1...limit).contains(text.utf8.count),
      TerminalText.clean(text, limit: limit).hasSameBytes(as: text)
    else { throw reader.malformed(name) }
    return text
  }

  /// In seconds, rounded up; the default unless `value` is a positive number.
  private static func interval(_ value: JSON?) -> Int {
    let seconds = value.flatMap { $0.number?.rounded(.up) ?? Seconds.parse($0) }
    guard let seconds, seconds > 0 else { return defaultInterval }
    return min(seconds, maximumInterval)
  }
}
