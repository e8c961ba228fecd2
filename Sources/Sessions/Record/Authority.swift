internal import Encoding
package import OAuth

/// Where an account's secrets may go, as it stood when the person signed in.
///
/// It is sealed in the vault beside the secrets. The settings file and the metadata cache can be
/// written by anything that can edit dotfiles; neither may lead a refresh token elsewhere.
package struct Authority: Sendable, Hashable {
  package var issuer: String
  package var clientID: String
  package var tokenEndpointAuthMethod: String
  package var allowHTTPLoopback: Bool
  /// SHA-256 of the certificate authority file, base64url; nil for the system's alone.
  package var caDigest: String?
  package var pins: [String]
  /// The service whose particulars were used, by its name.
  package var serviceName: String?
  /// Endpoints named by hand, `name=URL`, in a fixed order.
  package var namedEndpoints: [String]
  /// The origins of all endpoints that get a secret or a token, sorted.
  package var origins: [String]
  /// The proxy that may get the account's proxy credentials.
  package var proxy: String?
  /// Places that may get the access token, as `ResourceOrigin` spells them, sorted.
  package var resourceOrigins: [String]
  /// The place of UserInfo, which may get it too.
  package var userinfoOrigin: String?

  package init(
    _ configuration: AccountConfiguration, caDigest: String?, metadata: AuthorizationServerMetadata
  ) {
    issuer = configuration.issuer
    clientID = configuration.clientID
    tokenEndpointAuthMethod = configuration.tokenEndpointAuthMethod
    allowHTTPLoopback = configuration.allowHTTPLoopback
    self.caDigest = caDigest
    pins = configuration.pins
    serviceName = configuration.serviceName
    namedEndpoints = configuration.endpoints.named.map { "\($0)=\($1)" }
    origins = metadata.endpointOrigins
    proxy = configuration.proxy
    resourceOrigins = configuration.resourceOrigins.map(\.text).sorted()
    userinfoOrigin = metadata.userinfoEndpoint?.uri.origin
  }

  /// The first setting that differs from what the person signed in with, by its name in the settings file.
  package func difference(from configuration: AccountConfiguration, caDigest: String?) -> String? {
    func same(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }
    if !same(issuer, configuration.issuer) { return "issuer" }
    if !same(clientID, configuration.clientID) { return "client_id" }
    if !same(tokenEndpointAuthMethod, configuration.tokenEndpointAuthMethod) { return "token_endpoint_auth_method" }
    if allowHTTPLoopback != configuration.allowHTTPLoopback { return "allow_http_loopback" }
    if self.caDigest != caDigest { return "ca_file" }
    if pins != configuration.pins { return "pins" }
    if serviceName != configuration.serviceName { return "provider" }
    if namedEndpoints != configuration.endpoints.named.map({ "\($0)=\($1)" }) { return "endpoints" }
    return nil
  }

  /// Whether these settings name the client that this is about.
  func isSameClient(as configuration: AccountConfiguration) -> Bool {
    issuer.utf8.elementsEqual(configuration.issuer.utf8) && clientID.utf8.elementsEqual(configuration.clientID.utf8)
  }

  /// Whether `proxy` is the one that was signed in through.
  ///
  /// Another one is no ``difference(from:caDigest:)``, since it carries only what TLS protects; but it
  /// must not get the credentials.
  func mayGiveCredentials(to proxy: String) -> Bool {
    self.proxy.map { $0.utf8.elementsEqual(proxy.utf8) } ?? false
  }

  /// The first origin in `metadata` that was not there at sign-in.
  package func unknownOrigin(in metadata: AuthorizationServerMetadata) -> String? {
    metadata.endpointOrigins.first { !origins.contains($0) }
  }

  var json: JSON {
    var object = JSONObject([
      ("issuer", .string(issuer)), ("client_id", .string(clientID)),
      ("token_endpoint_auth_method", .string(tokenEndpointAuthMethod)),
      ("allow_http_loopback", .bool(allowHTTPLoopback)),
    ])
    if let caDigest { object["ca_digest"] = .string(caDigest) }
    object["pins"] = .array(pins.map { .string($0) })
    object["named_endpoints"] = .array(namedEndpoints.map { .string($0) })
    object["origins"] = .array(origins.map { .string($0) })
    object["provider"] = serviceName.map { .string($0) }
    object["proxy"] = proxy.map { .string($0) }
    if !resourceOrigins.isEmpty { object["resource_origins"] = .array(resourceOrigins.map { .string($0) }) }
    object["userinfo_origin"] = userinfoOrigin.map { .string($0) }
    return .object(object)
  }

  init?(json: JSON) {
    func texts(_ name: String) -> [String]? {
      guard let array = json[name]?.array else { return nil }
      let texts = array.compactMap(\.string)
      return texts.count == array.count ? texts : nil
    }
    guard let issuer = json["issuer"]?.string, let clientID = json["client_id"]?.string,
      let method = json["token_endpoint_auth_method"]?.string, let loopback = json["allow_http_loopback"]?.bool,
      let pins = texts("pins"), let named = texts("named_endpoints"), let origins = texts("origins")
    else { return nil }
    self.issuer = issuer
    self.clientID = clientID
    tokenEndpointAuthMethod = method
    allowHTTPLoopback = loopback
    caDigest = json["ca_digest"]?.string
    self.pins = pins
    namedEndpoints = named
    self.origins = origins
    serviceName = json["provider"]?.string
    proxy = json["proxy"]?.string
    resourceOrigins = texts("resource_origins") ?? []
    userinfoOrigin = json["userinfo_origin"]?.string
  }
}
