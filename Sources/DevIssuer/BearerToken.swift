/// The access token of a request to a protected resource (RFC 6750).
enum BearerToken {
  /// Why there is none, as the challenge says it (RFC 6750 section 3).
  enum Problem: Error, Hashable, Sendable {
    /// No attempt was made: no error code either (section 3.1).
    case missing
    case malformed
    case invalid
    case insufficientScope(String)
    /// RFC 9470 section 3.
    case insufficientAuthentication(acr: String?, maxAge: Int?)

    /// - Parameter metadata: Where the protected resource describes itself (RFC 9728 section 5.1).
    func response(metadata: String? = nil) -> Response {
      var response = Response.text("Access to this resource needs a valid access token.", status: status)
      let place = metadata.map { ", resource_metadata=\"\($0)\"" } ?? ""
      response.headers.append(("WWW-Authenticate", "Bearer realm=\"devissuer\"\(place)\(attributes)"))
      return response
    }

    private var status: Int {
      switch self {
      case .malformed: 400
      case .missing, .invalid, .insufficientAuthentication: 401
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
      }
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
