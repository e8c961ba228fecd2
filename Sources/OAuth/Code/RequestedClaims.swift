internal import Encoding

/// The `claims` parameter of an authorization request (OpenID Connect Core section 5.5).
package struct RequestedClaims: Sendable, Hashable {
  static let maximumBytes = 4096

  private let object: JSONObject

  /// Nil unless the text is a JSON object of at most ``maximumBytes``.
  package init?(_ text: String) {
    guard text.utf8.count <= Self.maximumBytes, let object = (try? JSON(parsing: Array(text.utf8)))?.object else {
      return nil
    }
    self.object = object
  }

  /// Reads a challenge's claims: JSON or, from Microsoft, base64 or base64url.
  package init?(challenge text: String) {
    guard text.utf8.count <= Base64URL.encodedCount(Self.maximumBytes) + 2 else { return nil }
    if text.utf8.first == UInt8(ascii: "{") {
      self.init(text)
      return
    }
    let alphabet = text.utf8.prefix { $0 != UInt8(ascii: "=") }.map { byte in
      switch byte {
      case UInt8(ascii: "+"): UInt8(ascii: "-")
      case UInt8(ascii: "/"): UInt8(ascii: "_")
      default: byte
      }
    }
    guard let bytes = try? Base64URL.decode(String(decoding: alphabet, as: UTF8.self)),
      let text = String(validating: bytes, as: UTF8.self)
    else { return nil }
    self.init(text)
  }

  private init(_ object: JSONObject) { self.object = object }

  package var text: String { String(decoding: JSON.object(object).serialized(), as: UTF8.self) }

  /// The JSON in base64url, which a shell need not quote.
  package var challenge: String { Base64URL.encode(Array(text.utf8)) }

  /// Merges two requests by claim. `others` takes precedence.
  func adding(_ others: RequestedClaims?) -> RequestedClaims {
    var all = object
    for claimSet in others?.object.names ?? [] {
      guard let claims = others?.object[claimSet]?.object, var merged = all[claimSet]?.object else {
        all[claimSet] = others?.object[claimSet]
        continue
      }
      for name in claims.names { merged[name] = claims[name] }
      all[claimSet] = .object(merged)
    }
    return RequestedClaims(all)
  }
}
