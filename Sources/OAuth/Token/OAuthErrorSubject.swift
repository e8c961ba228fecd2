extension OAuthError {
  /// The subject of an error message.
  package indirect enum Subject: Hashable, Sendable {
    case endpoint(EndpointRole)
    /// A member of a response or document.
    case member(String, of: Subject)
    /// A host, with its port unless default.
    case host(String)
    /// A parameter, a metadata member, an origin or a URL.
    case name(String)
    /// Why a document or token was rejected; follows a colon.
    case reason(Phrase)
    case breach(ProfileBreach)
    case server, serverForResource, authorizationServer, issuer, configuredIssuer, requestedResource, keySet
    /// `resourceWithoutKnownServer` requires a token, but nothing names its server.
    case url, unknownURL, resourceWithoutKnownServer, redirectURI, scope, clientID, audience, signIn, request, proxy
    case clientKey, dpopKey

    package static let resource = Self.endpoint(.resource)

    package var phrase: Phrase {
      switch self {
      case .endpoint(let role): Self.title(of: role)
      case .member(let name, let whole): Phrase("\(whole.phrase) (\(name))")
      case .host(let text), .name(let text): Phrase(verbatim: text)
      case .reason(let phrase): phrase
      case .breach(let breach): Phrase("\(breach.rule): \(breach.sentence)")
      case .server: Phrase("the server")
      case .serverForResource: Phrase("the server, for this resource,")
      case .authorizationServer: Phrase("the authorization server")
      case .issuer: Phrase("the issuer")
      case .configuredIssuer: Phrase("the configured one")
      case .requestedResource: Phrase("the requested one")
      case .keySet: Phrase("the key set")
      case .url: Phrase("the URL")
      case .unknownURL: Phrase("this URL, neither as an issuer nor as a resource")
      case .resourceWithoutKnownServer: Phrase("this URL, which requires a token, nor at its origin")
      case .redirectURI: Phrase("the redirect URI")
      case .scope: Phrase("the scope")
      case .clientID: Phrase("the client id")
      case .audience: Phrase("the audience")
      case .signIn: Phrase("the sign-in")
      case .request: Phrase("the request")
      case .proxy: Phrase("the proxy")
      case .clientKey: Phrase("the client's key")
      case .dpopKey: Phrase("the account's DPoP key")
      }
    }

    private static func title(of role: EndpointRole) -> Phrase {
      switch role {
      case .metadata: Phrase("the metadata endpoint")
      case .keys: Phrase("the JWK Set endpoint")
      case .authorization: Phrase("the authorization endpoint")
      case .pushedAuthorization: Phrase("the pushed authorization request endpoint")
      case .deviceAuthorization: Phrase("the device authorization endpoint")
      case .token: Phrase("the token endpoint")
      case .userinfo: Phrase("the UserInfo endpoint")
      case .introspection: Phrase("the introspection endpoint")
      case .revocation: Phrase("the revocation endpoint")
      case .registration: Phrase("the client registration endpoint")
      case .resource: Phrase("the resource")
      }
    }
  }
}
