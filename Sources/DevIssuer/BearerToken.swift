import JOSE

/// The access token of a request to a protected resource (RFC 6750, RFC 9449 section 7.1).
struct BearerToken: Sendable, Hashable {
  let key: OpaqueKey
  /// It came with the scheme `DPoP`.
  let isDPoP: Bool

  /// Why there is none, as the challenge says it (RFC 6750 section 3).
  enum Problem: Error, Hashable, Sendable {
    /// No attempt was made: no error code either (section 3.1).
    case missing
    case malformed
    case invalid
    case insufficientScope(String)
    /// The same as `invalid` for a token of the scheme `DPoP`, or one that came by the wrong scheme.
    case invalidBound
    case invalidProof(String)
    /// The proof must hold this nonce.
    case wantsNonce(String?)

    var response: Response {
      switch self {
      case .missing: challenge(401, "")
      case .malformed:
        challenge(400, ", error=\"invalid_request\", error_description=\"send one Bearer token in the header\"")
      case .invalid:
        challenge(401, ", error=\"invalid_token\", error_description=\"unknown, expired or revoked\"")
      case .insufficientScope(let scope):
        challenge(403, ", error=\"insufficient_scope\", scope=\"\(scope)\"")
      case .invalidBound: boundChallenge("invalid_token", "unknown, expired, revoked, or of another scheme")
      case .invalidProof(let text): boundChallenge("invalid_dpop_proof", text)
      case .wantsNonce(let nonce): boundChallenge("use_dpop_nonce", "use the nonce of this answer", nonce)
      }
    }

    /// RFC 9449 sections 7.1 and 9.
    private func boundChallenge(_ error: String, _ description: String, _ nonce: String? = nil) -> Response {
      var response = Response.text("Access to this resource needs a valid access token and its proof.", status: 401)
      let algorithms = DPoPProof.algorithms.map(\.rawValue).joined(separator: " ")
      response.headers.append(
        (
          "WWW-Authenticate",
          "DPoP realm=\"devissuer\", error=\"\(error)\", error_description=\"\(description)\", algs=\"\(algorithms)\""
        ))
      if let nonce { response.headers.append(("DPoP-Nonce", nonce)) }
      return response
    }

    private func challenge(_ status: Int, _ attributes: String) -> Response {
      var response = Response.text("Access to this resource needs a valid access token.", status: status)
      response.headers.append(("WWW-Authenticate", "Bearer realm=\"devissuer\"\(attributes)"))
      return response
    }
  }

  /// The token of the Authorization header, the only place where it is taken (RFC 6750 section 2.1).
  static func find(in request: Request) throws(Problem) -> BearerToken {
    let values = request.headers.values(of: "authorization")
    guard let value = values.first else {
      guard request.head.query?.contains("access_token=") != true else { throw .malformed }
      throw .missing
    }
    let parts = value.split(separator: " ")
    guard values.count == 1, let scheme = parts.first?.lowercased() else { throw .malformed }
    guard scheme == "bearer" || scheme == "dpop" else { throw .missing }
    guard parts.count == 2 else { throw .malformed }
    let isDPoP = scheme == "dpop"
    guard let key = OpaqueKey(text: String(parts[1])) else { throw isDPoP ? .invalidBound : .invalid }
    return BearerToken(key: key, isDPoP: isDPoP)
  }
}
