import Encoding

/// Which client a request says that it comes from, and what it shows for it (RFC 6749 section 2.3).
struct ClientClaim: Sendable {
  enum Proof: Sendable {
    case none
    case secret([UInt8])
    case assertion(ClientAssertion)
  }

  let id: String
  let proof: Proof

  /// - Throws: `invalid_client` when no client is named, `invalid_request` when two methods are
  ///   used at once.
  static func read(_ request: Request, _ parameters: Parameters) throws(OAuthFailure) -> ClientClaim {
    let hasHeader = !request.headers.values(of: "authorization").isEmpty
    let methods = [hasHeader, parameters["client_secret"] != nil, parameters["client_assertion"] != nil]
    guard methods.count(where: \.self) <= 1 else {
      throw OAuthFailure(.invalidRequest, "two client authentication methods")
    }
    let claim = try hasHeader ? header(request) : content(parameters)
    guard let id = parameters["client_id"] ?? claim?.id else {
      throw OAuthFailure(.invalidClient, "client_id is missing")
    }
    guard let claim else { return ClientClaim(id: id, proof: .none) }
    guard id == claim.id else { throw OAuthFailure(.invalidRequest, "two client identifiers") }
    return claim
  }

  private static func header(_ request: Request) throws(OAuthFailure) -> ClientClaim {
    guard let basic = basic(request) else { throw OAuthFailure(.invalidClient, "malformed Authorization header") }
    return basic
  }

  /// Nil when the content shows nothing.
  private static func content(_ parameters: Parameters) throws(OAuthFailure) -> ClientClaim? {
    if let text = parameters["client_assertion"] {
      guard parameters["client_assertion_type"] == ClientAssertion.type else {
        throw OAuthFailure(.invalidRequest, "unknown client_assertion_type")
      }
      let assertion = try ClientAssertion(text)
      return ClientClaim(id: assertion.clientID, proof: .assertion(assertion))
    }
    guard let secret = parameters["client_secret"] else { return nil }
    guard let id = parameters["client_id"] else { throw OAuthFailure(.invalidClient, "client_id is missing") }
    return ClientClaim(id: id, proof: .secret(Array(secret.utf8)))
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
