internal import Encoding

/// The `claims` parameter of an authorization request (OpenID Connect Core 1.0 section 5.5): a JSON object.
package struct RequestedClaims: Sendable, Hashable {
  /// The longest that is read, in bytes.
  static let longest = 4096

  private let object: JSONObject

  /// - Returns: nil for what is no JSON object, or is too long.
  package init?(_ text: String) {
    guard text.utf8.count <= Self.longest, let object = (try? JSON(parsing: Array(text.utf8)))?.object else {
      return nil
    }
    self.object = object
  }

  /// Those of a resource's challenge. Microsoft sends them in base64 or base64url, others as they are.
  package init?(challenge text: String) {
    guard text.utf8.count <= Base64URL.encodedCount(Self.longest) + 2 else { return nil }
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

  /// The JSON without spaces.
  package var text: String { String(decoding: JSON.object(object).serialized(), as: UTF8.self) }

  /// The JSON in base64url, of which every byte can stand in a shell's command without quotes.
  package var challenge: String { Base64URL.encode(Array(text.utf8)) }

  /// These and others, each for its own place (`id_token`, `userinfo`, `access_token`); where both name a claim, the
  /// others count.
  func adding(_ others: RequestedClaims?) -> RequestedClaims {
    var all = object
    for place in others?.object.names ?? [] {
      guard let claims = others?.object[place]?.object, var merged = all[place]?.object else {
        all[place] = others?.object[place]
        continue
      }
      for name in claims.names { merged[name] = claims[name] }
      all[place] = .object(merged)
    }
    return RequestedClaims(all)
  }
}
