internal import Encoding
internal import OAuth
internal import Sessions
internal import Vault
internal import Wire

/// The account and the settings that a sign-in request means, from what it says and what is stored.
struct LoginSettings {
  let account: AccountName
  private(set) var configuration: AccountConfiguration
  /// `user:password` from the proxy's URL.
  private(set) var proxyCredentials: String?

  init(_ request: LoginRequest, _ settings: Settings) throws(Failure) {
    account = try Self.account(request, settings)
    let stored = settings[account]
    switch (request.issuer, stored) {
    case (nil, .some(let stored)): configuration = stored
    case (.some(let issuer), .some(let stored)) where stored.issuer.utf8.elementsEqual(issuer.utf8):
      configuration = stored
    case (.some(let issuer), _):
      guard let clientID = request.clientID else {
        throw Failure(
          .invalidRequest, "a new account needs the client id that the issuer gave you", hint: "--client-id ID")
      }
      configuration = AccountConfiguration(issuer: issuer, clientID: clientID)
    case (nil, nil):
      throw Failure(
        .invalidRequest, "there is no account named \(account.text) yet, and no issuer was named",
        hint: "agent login \(account.text) --issuer URL --client-id ID")
    }
    try apply(request)
  }

  private mutating func apply(_ request: LoginRequest) throws(Failure) {
    if let clientID = request.clientID { configuration.clientID = clientID }
    if !request.scope.isEmpty { configuration.scope = try Self.scope(request.scope) }
    if let method = request.tokenEndpointAuthMethod {
      guard ["none", "client_secret_basic", "client_secret_post"].contains(method) else {
        throw Failure(
          .invalidRequest, "the client authentication method is none, client_secret_basic or client_secret_post")
      }
      configuration.tokenEndpointAuthMethod = method
    }
    if let caFile = request.caFile {
      guard caFile.hasPrefix("/") else { throw Failure(.invalidRequest, "\"ca_file\" must be an absolute path") }
      configuration.caFile = caFile
    }
    if !request.pins.isEmpty {
      guard request.pins.allSatisfy(Self.isPin) else { throw Failure(ConfigurationError(.pin, "pins")) }
      configuration.pins = request.pins
    }
    if request.allowHTTPLoopback { configuration.allowHTTPLoopback = true }
    let named = request.endpoints
    configuration.endpoints.token = named.token ?? configuration.endpoints.token
    configuration.endpoints.deviceAuthorization =
      named.deviceAuthorization ?? configuration.endpoints.deviceAuthorization
    configuration.endpoints.userinfo = named.userinfo ?? configuration.endpoints.userinfo
    configuration.endpoints.revocation = named.revocation ?? configuration.endpoints.revocation
    configuration.endpoints.jwks = named.jwks ?? configuration.endpoints.jwks
    if request.keepsAccessToken { configuration.keepsAccessToken = true }
    try applyProxy(request)
  }

  /// The proxy of the caller's environment replaces the stored one; its password goes to the vault.
  private mutating func applyProxy(_ request: LoginRequest) throws(Failure) {
    configuration.proxy = nil
    configuration.proxyExclusions = request.proxyExclusions
    guard var proxy = request.proxy, !proxy.isEmpty else { return }
    let invalid = Failure(ConfigurationError(.proxy, "proxy"))
    if !proxy.utf8.contains(UInt8(ascii: ":")) || !proxy.contains("://") { proxy = "http://" + proxy }
    guard let start = proxy.range(ofASCII: "://") else { throw invalid }
    var rest = proxy[start.upperBound...]
    let authority = rest.prefix { $0 != "/" }
    if let at = authority.lastIndex(of: "@") {
      proxyCredentials = String(authority[..<at])
      rest = rest[rest.index(after: at)...]
    }
    let bare = proxy[..<start.upperBound] + rest
    guard let uri = try? URI(String(bare)), uri.hasScheme("http") || uri.hasScheme("https") else { throw invalid }
    configuration.proxy = uri.text
  }

  private static func account(_ request: LoginRequest, _ settings: Settings) throws(Failure) -> AccountName {
    if let name = request.account {
      do { return try AccountName(name) } catch { throw Failure(.vault(error), account: nil) }
    }
    guard let issuer = request.issuer else {
      if let active = settings.active { return active }
      throw Failure(.noAccount(name: nil), account: nil)
    }
    guard let host = (try? URI(issuer))?.host,
      let base = try? AccountName(String(host.filter { $0 != "[" && $0 != "]" && $0 != ":" }.prefix(60)))
    else { throw Failure(.invalidRequest, "name the account: agent login NAME --issuer URL") }
    for number in 1...99 {
      let text = number == 1 ? base.text : "\(base.text)-\(number)"
      guard let name = try? AccountName(text) else { break }
      guard let stored = settings[name] else { return name }
      if stored.issuer.utf8.elementsEqual(issuer.utf8), request.clientID ?? stored.clientID == stored.clientID {
        return name
      }
    }
    throw Failure(.invalidRequest, "name the account: agent login NAME --issuer URL")
  }

  private static func scope(_ values: [String]) throws(Failure) -> [String] {
    do { return try Scope(values.joined(separator: " ")).values } catch {
      throw Failure(.oauth(error), account: nil)
    }
  }

  private static func isPin(_ pin: String) -> Bool {
    let prefix = "sha256//"
    guard pin.hasPrefix(prefix), let bytes = try? Base64.decode(String(pin.dropFirst(prefix.count))) else {
      return false
    }
    return bytes.count == 32
  }
}

extension String {
  fileprivate func range(ofASCII needle: String) -> Range<String.Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(needle) { return start..<index(start, offsetBy: needle.count) }
      start = index(after: start)
    }
    return nil
  }
}
