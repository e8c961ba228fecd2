import Encoding

/// Which client a request says that it comes from, and what it shows for it (RFC 6749 section 2.3).
struct ClientClaim: Sendable {
  enum Proof: Sendable {
    case none
    case secret([UInt8])
  }

  let id: String
  let proof: Proof

  /// - Throws: `invalid_client` when no client is named, `invalid_request` when two methods are
  ///   used at once.
  static func read(_ request: Request, _ parameters: Parameters) throws(OAuthFailure) -> ClientClaim {
    let id = parameters["client_id"]
    let secret = parameters["client_secret"]
    guard !request.headers.values(of: "authorization").isEmpty else {
      guard let id else { throw OAuthFailure(.invalidClient, "client_id is missing") }
      return ClientClaim(id: id, proof: secret.map { .secret(Array($0.utf8)) } ?? .none)
    }
    guard secret == nil else { throw OAuthFailure(.invalidRequest, "two client authentication methods") }
    guard let basic = Self.basic(request) else {
      throw OAuthFailure(.invalidClient, "malformed Authorization header")
    }
    guard id == nil || id == basic.id else { throw OAuthFailure(.invalidRequest, "two client identifiers") }
    return basic
  }

  /// RFC 6749 section 2.3.1: identifier and secret are form-encoded, then joined as RFC 7617 has it.
  private static func basic(_ request: Request) -> ClientClaim? {
    guard let value = request.headers["authorization"] else { return nil }
    let parts = value.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "basic",
      let bytes = try? Base64.decode(String(parts[1])),
      let colon = bytes.firstIndex(of: ASCII.colon),
      let id = formDecoded(bytes[..<colon]), let secret = formDecoded(bytes[(colon + 1)...])
    else { return nil }
    return ClientClaim(id: id, proof: secret.isEmpty ? .none : .secret(Array(secret.utf8)))
  }

  private static func formDecoded(_ bytes: ArraySlice<UInt8>) -> String? {
    let field = Array("v=".utf8) + bytes
    guard !bytes.contains(UInt8(ascii: "&")), let fields = try? Form.parse(field.span), fields.count == 1,
      fields[0].value.utf8.allSatisfy(ASCII.isPrintable)
    else { return nil }
    return fields[0].value
  }
}
