import Crypto
import Encoding

/// Tells which client sent a request (RFC 6749 section 2.3).
struct ClientAuthenticator: Sendable {
  let clients: [RegisteredClient]

  /// What a request claims.
  private struct Claim {
    let id: String
    /// Nil when no secret came.
    let secret: [UInt8]?
  }

  /// - Throws: `invalid_client` when the client is unknown or did not prove itself,
  ///   `invalid_request` when it used two methods at once.
  func authenticate(_ request: Request, _ parameters: Parameters) throws(OAuthFailure) -> RegisteredClient {
    let claim = try claim(of: request, parameters)
    guard let client = clients.first(where: { $0.id == claim.id }) else {
      throw OAuthFailure(.invalidClient, "unknown client")
    }
    switch (client.secret, claim.secret) {
    case (nil, nil):
      return client
    case (let expected?, let found?) where ConstantTime.isEqual(expected.span, found.span):
      return client
    default:
      throw OAuthFailure(.invalidClient, "client authentication failed")
    }
  }

  private func claim(of request: Request, _ parameters: Parameters) throws(OAuthFailure) -> Claim {
    let id = parameters["client_id"]
    let secret = parameters["client_secret"]
    guard !request.headers.values(of: "authorization").isEmpty else {
      guard let id else { throw OAuthFailure(.invalidClient, "client_id is missing") }
      return Claim(id: id, secret: secret.map { Array($0.utf8) })
    }
    guard secret == nil else { throw OAuthFailure(.invalidRequest, "two client authentication methods") }
    guard let basic = Self.basic(request) else {
      throw OAuthFailure(.invalidClient, "malformed Authorization header")
    }
    guard id == nil || id == basic.id else { throw OAuthFailure(.invalidRequest, "two client identifiers") }
    return basic
  }

  /// RFC 6749 section 2.3.1: identifier and secret are form-encoded, then joined as RFC 7617 has it.
  private static func basic(_ request: Request) -> Claim? {
    guard let value = request.headers["authorization"] else { return nil }
    let parts = value.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "basic",
      let bytes = try? Base64.decode(String(parts[1])),
      let colon = bytes.firstIndex(of: ASCII.colon),
      let id = formDecoded(bytes[..<colon]), let secret = formDecoded(bytes[(colon + 1)...])
    else { return nil }
    return Claim(id: id, secret: secret.isEmpty ? nil : Array(secret.utf8))
  }

  private static func formDecoded(_ bytes: ArraySlice<UInt8>) -> String? {
    let field = Array("v=".utf8) + bytes
    guard !bytes.contains(UInt8(ascii: "&")), let fields = try? Form.parse(field.span), fields.count == 1,
      fields[0].value.utf8.allSatisfy(ASCII.isPrintable)
    else { return nil }
    return fields[0].value
  }
}
