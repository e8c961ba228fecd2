/// The access token of a request to a protected resource (RFC 6750).
enum BearerToken {
  /// Why there is none, as the challenge says it (RFC 6750 section 3).
  enum Problem: Error, Hashable, Sendable {
    /// No attempt was made: no error code either (section 3.1).
    case missing
    case malformed
    case invalid
    case insufficientScope(String)

    var response: Response {
      switch self {
      case .missing: challenge(401, "")
      case .malformed:
        challenge(400, ", error=\"invalid_request\", error_description=\"send one Bearer token in the header\"")
      case .invalid:
        challenge(401, ", error=\"invalid_token\", error_description=\"unknown, expired or revoked\"")
      case .insufficientScope(let scope):
        challenge(403, ", error=\"insufficient_scope\", scope=\"\(scope)\"")
      }
    }

    private func challenge(_ status: Int, _ attributes: String) -> Response {
      var response = Response.text("Access to this resource needs a valid access token.", status: status)
      response.headers.append(("WWW-Authenticate", "Bearer realm=\"devissuer\"\(attributes)"))
      return response
    }
  }

  /// The token of the Authorization header, the only place where it is taken (RFC 6750 section 2.1).
  static func find(in request: Request) throws(Problem) -> OpaqueKey {
    let values = request.headers.values(of: "authorization")
    guard let value = values.first else {
      guard request.head.query?.contains("access_token=") != true else { throw .malformed }
      throw .missing
    }
    let parts = value.split(separator: " ")
    guard values.count == 1, let scheme = parts.first?.lowercased() else { throw .malformed }
    guard scheme == "bearer" else { throw .missing }
    guard parts.count == 2 else { throw .malformed }
    guard let key = OpaqueKey(text: String(parts[1])) else { throw .invalid }
    return key
  }
}
