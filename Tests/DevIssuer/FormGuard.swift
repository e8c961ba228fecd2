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
    if let cookie = request.cookie(Self.cookieName) {
      return Seal(token: try token(for: cookie), newCookie: nil)
    }
    let cookie = try OpaqueKey.random()
    return Seal(
      token: try token(for: cookie),
      newCookie: "\(Self.cookieName)=\(cookie.text); Path=\(path); HttpOnly; SameSite=Strict")
  }

  func accepts(_ request: Request, token found: String?) throws(CryptoError) -> Bool {
    guard let found, let cookie = request.cookie(Self.cookieName) else { return false }
    let expected = Array(try token(for: cookie).utf8)
    return ConstantTime.isEqual(expected.span, Array(found.utf8).span)
  }

  private func token(for cookie: OpaqueKey) throws(CryptoError) -> String {
    Base64URL.encode(try HMAC.sha256(key: key.span, cookie.bytes.span))
  }
}
