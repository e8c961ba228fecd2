import Crypto
import Encoding

/// Ties a form to the browser that loaded it, against requests forged by another site
/// (RFC 8628 section 5.4, RFC 6749 section 10.12).
///
/// The browser keeps a random cookie; the form holds the cookie's keyed hash. Another site can
/// neither read the one nor make the other.
struct FormGuard: Sendable {
  private static let cookieName = "devissuer"
  private let key: [UInt8]

  init() throws(CryptoError) {
    key = try Random.bytes(32)
  }

  /// What a page needs: the hidden value, and the cookie to set when the browser has none yet.
  struct Seal: Sendable, Hashable {
    let token: String
    let newCookie: String?
  }

  /// - Parameter path: Where the browser sends the cookie back to.
  func seal(for request: Request, path: String) throws(CryptoError) -> Seal {
    if let cookie = Self.cookie(of: request) {
      return Seal(token: try token(for: cookie), newCookie: nil)
    }
    let cookie = try OpaqueKey.random()
    return Seal(
      token: try token(for: cookie),
      newCookie: "\(Self.cookieName)=\(cookie.text); Path=\(path); HttpOnly; SameSite=Strict")
  }

  func accepts(_ request: Request, token found: String?) throws(CryptoError) -> Bool {
    guard let found, let cookie = Self.cookie(of: request) else { return false }
    let expected = Array(try token(for: cookie).utf8)
    return ConstantTime.isEqual(expected.span, Array(found.utf8).span)
  }

  private func token(for cookie: OpaqueKey) throws(CryptoError) -> String {
    Base64URL.encode(try HMAC.sha256(key: key.span, cookie.bytes.span))
  }

  /// Cookies of all ports of a host come together, so others may be there (RFC 6265 section 8.5).
  private static func cookie(of request: Request) -> OpaqueKey? {
    for pair in request.headers.values(of: "cookie").flatMap({ $0.split(separator: ";") }) {
      let parts = pair.split(separator: "=", maxSplits: 1)
      if parts.count == 2, ASCII.trimmed(parts[0]) == cookieName, let key = OpaqueKey(text: String(parts[1])) {
        return key
      }
    }
    return nil
  }
}
