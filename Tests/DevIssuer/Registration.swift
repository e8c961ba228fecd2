import Encoding

/// A client that registered itself (RFC 7591).
struct Registration: Sendable {
  let id: OpaqueKey
  /// Nil for a client without a secret.
  let secret: OpaqueKey?
  /// For the management of this client and nothing else (RFC 7592 section 1.2).
  var accessToken: OpaqueKey
  /// Unix seconds.
  let issuedAt: Int
  var metadata: ClientMetadata

  var client: RegisteredClient {
    RegisteredClient(
      id: id.text, name: metadata.name, authentication: authentication, redirects: metadata.redirects,
      grantTypes: Set(metadata.grantTypes), bindsTokensToKey: metadata.bindsTokensToKey)
  }

  private var authentication: RegisteredClient.Authentication {
    if let secret { return .secret(Array(secret.text.utf8)) }
    return metadata.method == "none" ? .none : .keys(metadata.keys)
  }

  /// The answer (RFC 7591 section 3.2.1, RFC 7592 section 3).
  func information(issuer: String, fault: RegistrationFault?) -> JSONObject {
    let address = fault == .foreignURI ? "https://issuer.invalid" : issuer
    var result = metadata.members
    result["client_id"] = .string(id.text)
    result["client_id_issued_at"] = .int(issuedAt)
    result["registration_access_token"] = .string(accessToken.text)
    result["registration_client_uri"] = .string(address + Endpoint.clientPrefix + id.text)
    if let secret {
      result["client_secret"] = .string(secret.text)
      // It does not expire (RFC 7591 section 3.2.1).
      if fault != .noExpiry { result["client_secret_expires_at"] = 0 }
    }
    switch fault {
    case .noClientID: result["client_id"] = nil
    case .redirectURIs: result["redirect_uris"] = ["https://issuer.invalid/callback"]
    case .grantTypes: result["grant_types"] = ["implicit"]
    case .method: result["token_endpoint_auth_method"] = "tls_client_auth"
    case .noExpiry, .foreignURI, nil: break
    }
    return result
  }
}
