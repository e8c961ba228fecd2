/// What the issuer answers. The raw values are the names that options and the control endpoint take.
enum IssuerEndpoint: String, Sendable, CaseIterable {
  case metadata, jwks, authorization, decision, par, logout, registration, client, device, verification, token, userinfo
  case revocation, introspection, resource
  case resourceMetadata = "resource_metadata"
  case echo, redirect, control
}

/// Where an endpoint is, which methods it takes, and what it does.
struct IssuerRoute: Sendable {
  typealias Handler = @Sendable (inout DevelopmentIssuer, IssuerRequest) throws -> IssuerAnswer

  /// What the path of a registered client begins with; its identifier follows.
  static let clientPrefix = "/register/"
  /// RFC 9728 section 3.1: the path of the resource follows.
  static let resourceMetadataPath = "/.well-known/oauth-protected-resource"

  let endpoint: IssuerEndpoint
  let paths: [String]
  /// Empty for any.
  let methods: [String]
  let answer: Handler

  private init(_ endpoint: IssuerEndpoint, _ methods: [String], _ paths: String..., answer: @escaping Handler) {
    self.endpoint = endpoint
    self.paths = paths
    self.methods = methods
    self.answer = answer
  }

  static let all = [
    // OpenID Connect Discovery 1.0 section 4 and RFC 8414 section 3, for an issuer without a path.
    IssuerRoute(
      .metadata, ["GET"], "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"
    ) { issuer, _ in issuer.metadata() },
    IssuerRoute(.jwks, ["GET"], "/jwks") { issuer, _ in issuer.jwks() },
    IssuerRoute(.authorization, ["GET", "POST"], "/authorize") { try $0.authorize($1) },
    IssuerRoute(.decision, ["POST"], "/authorize/decision") { try $0.decideAuthorization($1) },
    IssuerRoute(.par, ["POST"], "/par") { try $0.push($1) },
    IssuerRoute(.logout, ["GET", "POST"], "/end_session") { try $0.endSession($1) },
    IssuerRoute(.registration, ["POST"], "/register") { try $0.register($1) },
    IssuerRoute(.client, ["GET", "PUT", "DELETE"], clientPrefix) { try $0.manageClient($1) },
    IssuerRoute(.device, ["POST"], "/device_authorization") { try $0.authorizeDevice($1) },
    IssuerRoute(.verification, ["GET", "POST"], "/device") { try $0.verification($1) },
    IssuerRoute(.token, ["POST"], "/token") { try $0.token($1) },
    IssuerRoute(.userinfo, ["GET", "POST"], "/userinfo") { try $0.userInfo($1) },
    IssuerRoute(.revocation, ["POST"], "/revoke") { try $0.revoke($1) },
    IssuerRoute(.introspection, ["POST"], "/introspect") { try $0.introspect($1) },
    IssuerRoute(.resource, ["GET"], "/resource") { try $0.resource($1) },
    IssuerRoute(
      .resourceMetadata, ["GET"], resourceMetadataPath, resourceMetadataPath + "/resource",
      resourceMetadataPath + "/echo"
    ) { $0.resourceMetadata($1) },
    IssuerRoute(.echo, [], "/echo") { try $0.echo($1) },
    IssuerRoute(.redirect, [], "/redirect") { $0.redirectElsewhere($1) },
    IssuerRoute(.control, ["GET", "POST"], "/control") { try $0.control($1) },
  ]

  /// Nil for a path that is not ours.
  static func of(_ path: String) -> IssuerRoute? {
    all.first { $0.paths.contains(path) || ($0.endpoint == .client && path.hasPrefix(clientPrefix)) }
  }
}
