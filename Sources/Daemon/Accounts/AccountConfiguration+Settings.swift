internal import Encoding
internal import OAuth
internal import Sessions
internal import Wire

extension AccountConfiguration {
  /// Throws `invalid_request` if the issuer is missing or a value is invalid.
  init(_ given: AccountSettings) throws(Failure) {
    var given = given
    given.issuer = try Self.issuer(given).map(Self.issuer(pasted:))
    guard let issuer = given.issuer else {
      throw Failure(.invalidRequest, "a new account needs an issuer", hint: "use \("--issuer")")
    }
    self.init(issuer: issuer, clientID: given.clientID ?? "")
    try change(to: given)
    try checkIssuer()
    adoptProvider()
    try checkProvider(nil)
  }

  /// The issuer of a pasted metadata URL, or else the URL itself. Adds `https://` if missing.
  static func issuer(pasted text: String) -> String {
    let isHost = text.utf8.contains(UInt8(ascii: ".")) && (try? URI(text)) == nil
    let url = isHost && (try? URI("https://\(text)")) != nil ? "https://\(text)" : text
    return Issuer.named(byMetadataAt: url) ?? url
  }

  /// Throws `invalid_request` unless the issuer is a URL (RFC 8414 section 2) and supports sign-in from a terminal.
  func checkIssuer(account: String? = nil, enteredOptions: [String] = []) throws(Failure) {
    try Provider.of(issuer: issuer)?.checkSignIn()
    do throws(OAuthError) { _ = try Issuer(issuer, allowHTTPLoopback: self.allowHTTPLoopback) } catch {
      var failure = Failure(.oauth(error), account: account, enteredOptions: enteredOptions)
      failure.code = .invalidRequest
      throw failure
    }
  }

  /// Sets the known provider of this issuer, unless a provider is set.
  mutating func adoptProvider() {
    if self.provider == nil { self.provider = Provider.of(issuer: issuer)?.name }
  }

  /// Throws `invalid_request` if the provider does not support sign-in from a terminal or by `flow`.
  func checkProvider(_ flow: LoginRequest.Flow?) throws(Failure) {
    try self.provider.map(Provider.named)?.checkSignIn(flow)
  }

  /// The requested issuer, or else the requested provider's. Throws `issuer_needed` if the provider has no single
  /// issuer, `invalid_request` if it does not support sign-in.
  static func issuer(_ given: AccountSettings) throws(Failure) -> String? {
    guard let provider = given.provider.map({ Provider.named($0) }) else { return given.issuer }
    try provider.checkSignIn()
    guard let issuer = given.issuer ?? provider.issuer else {
      throw Failure(
        .issuerNeeded, "\(provider.title) needs your organisation's issuer URL",
        hint: provider.issuerExample.map { Phrase("use \("--issuer"), for example \($0)") }
          ?? Phrase("use \("--issuer")"))
    }
    return issuer
  }

  /// Throws `invalid_request` if `account` is its own `assertionAccount`.
  func refuseSelfAssertion(as account: AccountName) throws(Failure) {
    guard self.assertionAccount?.hasSameBytes(as: account.text) ?? false else { return }
    throw Failure(
      .invalidRequest, "--assertion-account must be a different account",
      hint: "use the account that is signed in at the other server: agent list")
  }

  static var missingClientID: Failure {
    Failure(
      .invalidRequest, "a new account needs the client id that the issuer gave you",
      hint: "use \("--client-id")")
  }

  /// Applies a request's settings, except the proxy. Throws `invalid_request` if a value is invalid.
  mutating func change(to given: AccountSettings) throws(Failure) {
    var given = given
    if let name = given.provider, !name.isKnown { throw .unknownProvider(name.rawValue) }
    (given.proxy, given.proxyExclusions, given.proxySource) = (nil, nil, nil)
    if !given.scope.isEmpty { given.scope = try Self.validScope(given.scope) }
    do {
      let target = try TokenTarget(scope: [], resources: given.resources, audience: given.audience)
      given.resources = target?.resources ?? []
    } catch {
      throw Failure(.oauth(error), account: nil)
    }
    for setting in AccountSetting.all where setting.kind == .file {
      guard let path = setting.value(in: given)?.string, !path.hasPrefix("/") else { continue }
      throw Failure(.invalidRequest, "\"\(setting.name)\" must be an absolute path")
    }
    if let name = given.assertionVariable, !Self.isVariableName(name) {
      throw Failure(
        .invalidRequest, "a variable name consists of letters, digits and underscores, and does not start with a digit")
    }
    if let name = given.assertionAccount { _ = try AccountName(requested: name) }
    guard given.pins.allSatisfy(Self.isPin) else { throw Failure(ConfigurationError(.invalidPin, "pins")) }
    if let uri = given.redirectURI { given.redirectURI = try Self.validRedirectURI(uri) }
    if let problem = Self.extraParameterFailure(given, self.provider) { throw problem }
    let named = given.origins
    given.origins = []
    apply(given)
    if hasUnusedVariable {
      throw Failure(
        .invalidRequest, "\("--assertion-variable") has an effect only with \("--assertion-from gitlab-ci")",
        hint:
          "add it, or omit the variable; to remove it from the account: \("--unset assertion-variable")"
      )
    }
    for entry in try originEntries(named: named) { addOrReplace(entry) }
  }

  /// Adds a sign-in's resources to the origins that may get tokens, as entire URLs if `withPaths`. Omits forbidden
  /// URLs, such as http.
  mutating func addOrigins(of resources: [String], withPaths: Bool) {
    for resource in resources {
      guard let endpoint = try? Endpoint(resource, allowHTTPLoopback: self.allowHTTPLoopback) else { continue }
      let origin = ResourceOrigin(of: endpoint)
      let isListed = withPaths ? entry(for: ResourceURL(of: endpoint)) != nil : lists(origin)
      guard !isListed,
        let entry = OriginEntry(
          origin.text + (withPaths ? endpoint.uri.path : ""), allowHTTPLoopback: self.allowHTTPLoopback)
      else { continue }
      addOrReplace(entry)
    }
  }

  mutating func forgetClient() {
    clientID = ""
    let table = AccountSetting.table
    for setting in [
      table.tokenEndpointAuthMethod, table.basicUnencoded, table.clientCertificate, table.clientKeyAlgorithm,
      table.clientKeyID, table.assertionAudience, table.idTokenAlgorithm, table.userInfoAlgorithm,
      table.trustedAudiences,
    ] { unset(setting) }
  }

  /// The settings without the proxy's password.
  var settingsForDisplay: AccountSettings {
    var shown = settings
    shown.proxy = settings.proxy.flatMap { try? ProxySetting($0).url }
    return shown
  }

  /// Parses `--host` values: origins that may get tokens.
  func originEntries(named: [String]) throws(Failure) -> [OriginEntry] {
    try named.map { (text) throws(Failure) in
      guard let entry = OriginEntry(text, allowHTTPLoopback: self.allowHTTPLoopback) else {
        let place = String(text.prefix { $0 != " " })
        throw OriginEntry(place, allowHTTPLoopback: self.allowHTTPLoopback) == nil
          ? Failure(
            .invalidRequest, "a host must be a name, optionally with a port, or an https origin",
            hint: OriginEntry(place, allowHTTPLoopback: true).map { _ in
              "for a development server on this machine: \(Phrase.commandWithSwitch("allow-http-loopback"))"
            })
          : Failure(
            .invalidRequest, "the settings of a host are user=, token=, scope=, resource=, audience= and header=",
            hint: "agent account set --help --all")
      }
      _ = try TokenTarget.make(entry, account: nil)
      return entry
    }
  }

  /// RFC 6749 section 3.3.
  private static func validScope(_ values: [String]) throws(Failure) -> [String] {
    do { return try Scope(values.joined(separator: " ")).values } catch {
      throw Failure(.oauth(error), account: nil)
    }
  }

  /// `known` is the account's provider.
  private static func extraParameterFailure(_ given: AccountSettings, _ known: ProviderName?) -> Failure? {
    do throws(ExtraParameters.Problem) {
      _ = try ExtraParameters(
        parameters: given.parameters, claims: given.claims, authorizationDetails: given.authorizationDetails,
        provider: (given.provider ?? known).map { Provider.named($0) })
      return nil
    } catch {
      return Failure(.invalidRequest, error.text)
    }
  }

  private static func validRedirectURI(_ text: String) throws(Failure) -> String {
    if let port = (try? URI(text))?.port, RedirectURI.isRefusedByBrowsers(port) {
      throw Failure(.invalidRequest, "browsers do not connect to port \(port)", hint: "choose another port")
    }
    do { return try RedirectURI(text).text } catch {
      throw Failure(
        .invalidRequest, "the redirect URI must be http to 127.0.0.1, [::1] or localhost, or https; without a query")
    }
  }

  private static func isVariableName(_ name: String) -> Bool {
    (1...AssertionSource.maximumVariableBytes).contains(name.utf8.count)
      && name.utf8.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "_") }
      && !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(name.utf8.first ?? 0)
  }

  /// Whether the text is `sha256//` and a Base64 SHA-256 digest.
  private static func isPin(_ pin: String) -> Bool {
    let prefix = "sha256//"
    guard pin.hasPrefix(prefix), let bytes = try? Base64.decode(String(pin.dropFirst(prefix.count))) else {
      return false
    }
    return bytes.count == 32
  }
}

extension ExtraParameters.Problem {
  fileprivate var text: Phrase {
    switch self {
    case .malformed: Phrase("a parameter must be NAME=VALUE, with a name of letters, digits, \("-"), \(".") and \("_")")
    case .reserved(let name):
      Phrase("the parameter \(TerminalText.clean(name, limit: 64)) cannot be changed, because the sign-in sets it")
    case .repeated(let name): Phrase("the parameter \(TerminalText.clean(name, limit: 64)) is given twice")
    case .tooMany: Phrase("there are too many parameters")
    case .claims: Phrase("\("claims") must be a JSON object")
    case .authorizationDetails: Phrase("\("authorization_details") must be a JSON array of objects with a type")
    }
  }
}

extension Provider {
  fileprivate func checkSignIn(_ flow: LoginRequest.Flow? = nil) throws(Failure) {
    guard isKnown else { throw .unknownProvider(name.rawValue) }
    if let obstacle {
      throw Failure(
        .invalidRequest, Phrase("cannot sign in to \(title) from a terminal: \(Phrase(stringLiteral: obstacle))"))
    }
    if flow == .device, let deviceObstacle {
      throw Failure(
        .invalidRequest, Phrase("cannot sign in to \(title) by device: \(Phrase(stringLiteral: deviceObstacle))"),
        hint: "on a machine without a browser use \("--paste")")
    }
  }
}
