import Encoding
import Platform
import TestSupport
import Testing

extension Issuer {
  /// Gets a refresh token by the device grant, as another program with the same client would.
  func refreshToken(scope: String = "openid+offline_access") throws -> String {
    let begun = try PlainHTTP.post(
      port: port, "/device_authorization", [("client_id", "agent-cli"), ("scope", scope)])
    let code = try #require(JSON(parsing: begun.body)["device_code"]?.string)
    let deadline = Instant.now.advanced(by: .testLimit)
    while Instant.now < deadline {
      let answer = try PlainHTTP.post(
        port: port, "/token",
        [
          ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", code),
          ("client_id", "agent-cli"),
        ])
      let tokens = try JSON(parsing: answer.body)
      if let token = tokens["refresh_token"]?.string { return token }
      // The issuer requires a second between two polls (RFC 8628 section 3.5).
      Threads.sleep(for: .milliseconds(1100))
    }
    throw PlainHTTP.Unreadable()
  }
}
