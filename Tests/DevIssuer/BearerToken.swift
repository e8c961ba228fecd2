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
    /// RFC 9470 section 3.
    case insufficientAuthentication(acr: String?, maxAge: Int?)
    /// The same as `invalid` for a token of the scheme `DPoP`, or one that came by the wrong scheme.
    case invalidBound
    case invalidProof(String)
    /// The proof must hold this nonce.
    case wantsNonce(String?)

    /// - Parameter metadata: Where the protected resource describes itself (RFC 9728 section 5.1).
    func response(metadata: String? = nil) -> Response {
      var response = Response.text("Access to this resource needs a valid access token.", status: status)
      let place = metadata.map { ", resource_metadata=\"\($0)\"" } ?? ""
      response.headers.append(("WWW-Authenticate", "\(scheme) realm=\"devissuer\"\(place)\(attributes)"))
      if case .wantsNonce(let nonce?) = self { response.headers.append(("DPoP-Nonce", nonce)) }
      return response
    }

    private var status: Int {
      switch self {
      case .malformed: 400
      case .missing, .invalid, .insufficientAuthentication, .invalidBound, .invalidProof, .wantsNonce: 401
      case .insufficientScope: 403
      }
    }

    private var attributes: String {
      switch self {
      case .missing: ""
      case .malformed: ", error=\"invalid_request\", error_description=\"send one Bearer token in the header\""
      case .invalid: ", error=\"invalid_token\", error_description=\"unknown, expired or revoked\""
      case .insufficientScope(let scope): ", error=\"insufficient_scope\", scope=\"\(scope)\""
      case .insufficientAuthentication(let acr, let maxAge):
        ", error=\"insufficient_user_authentication\", error_description=\"another sign-in is needed\""
          + (acr.map { ", acr_values=\"\($0)\"" } ?? "") + (maxAge.map { ", max_age=\"\($0)\"" } ?? "")
      case .invalidBound: Self.bound("invalid_token", "unknown, expired, revoked, or of another scheme")
      case .invalidProof(let text): Self.bound("invalid_dpop_proof", text)
      case .wantsNonce: Self.bound("use_dpop_nonce", "use the nonce of this answer")
      }
    }

    private var scheme: String {
      switch self {
      case .invalidBound, .invalidProof, .wantsNonce: "DPoP"
      default: "Bearer"
      }
    }

    /// RFC 9449 sections 7.1 and 9.
    private static func bound(_ error: String, _ description: String) -> String {
      let algorithms = DPoPProof.algorithms.map(\.rawValue).joined(separator: " ")
      return ", error=\"\(error)\", error_description=\"\(description)\", algs=\"\(algorithms)\""
    }
  }

  /// The token of the Authorization header, the only place where it is taken (RFC 6750 section 2.1).
  static func find(in request: Request) throws(Problem) -> BearerToken {
    let values = request.headers.values(of: "authorization")
    guard let value = values.first else {
      let parameters = request.head.query?.split(separator: "&") ?? []
      guard !parameters.contains(where: { $0.hasPrefix("access_token=") }) else { throw .malformed }
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
