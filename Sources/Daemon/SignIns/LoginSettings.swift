internal import Encoding
internal import OAuth
internal import Sessions
internal import Wire

struct LoginSettings {
  let account: AccountName
  let configuration: AccountConfiguration
  let isNew: Bool
  /// Nil if a user signs in.
  let unattended: UnattendedGrant?
  /// `user:password` from the proxy's URL.
  let proxyCredentials: String?

  /// Throws `invalid_request` for an invalid setting, `issuer_needed` for an unknown server, or `account_exists` if
  /// only one of request and existing account is ephemeral.
  init(_ request: LoginRequest, _ settings: Settings) throws(Failure) {
    var request = request
    func isStored() -> Bool { request.account.flatMap { try? AccountName($0) }.map { settings[$0] != nil } ?? false }
    if !isStored() { Self.resolveServer(in: &request) }
    if !isStored() || request.issuer != nil { request.issuer = try AccountConfiguration.issuer(request.settings) }
    request.issuer = request.issuer.map(AccountConfiguration.issuer(pasted:))
    let existing = request.account.flatMap { try? AccountName($0) }.flatMap { settings[$0] }
    if let issuer = request.issuer {
      var named = AccountConfiguration(issuer: issuer, clientID: "")
      named.allowHTTPLoopback = request.allowHTTPLoopback || existing?.allowHTTPLoopback == true
      try named.checkIssuer(account: request.account, enteredOptions: request.commandLineOptions())
    }
    account = try Self.account(request, settings)
    let stored = settings[account]
    isNew = stored == nil
    if stored != nil, request.isEphemeral != settings.ephemeral.contains(account) {
      throw request.isEphemeral
        ? Failure(
          .accountExists, "the account \(account.text) already exists and is not ephemeral",
          hint: "choose another name")
        : Failure(
          .accountExists, "\(account.text) is ephemeral and ends with the daemon",
          hint: "agent logout \(account.text)")
    }
    var configuration: AccountConfiguration
    if request.registersClient, request.clientID != nil {
      throw Failure(.invalidRequest, "a client that is about to be registered has no client ID yet: omit --client-id")
    }
    switch (request.issuer, stored) {
    case (nil, .some(let stored)): configuration = stored
    case (.some(let issuer), .some(let stored)) where stored.usesServer(issuer):
      configuration = stored
      request.issuer = stored.issuer
    case (.some(let issuer), _):
      // The server or a file may supply the client ID.
      configuration = AccountConfiguration(issuer: issuer, clientID: request.clientID ?? "")
    case (nil, nil):
      // A longer name, or one with another number, belongs to another account.
      let name = account.text
      let others = settings.accounts.map(\.name.text).filter {
        !name.hasPrefix($0) && Self.withoutNumber($0) != Self.withoutNumber(name)
      }
      let files = AdministratorFiles.current
      if let problem = files.problem(of: name) { throw Failure(problem) }
      var known = others
      for name in Provider.names + files.presets.map(\.name) where !known.contains(name) { known.append(name) }
      var suggestions = ProviderName.known(as: account.text).map(\.rawValue)
      if suggestions.isEmpty { suggestions = Suggestion.candidates(for: account.text, among: known) }
      guard suggestions.isEmpty else {
        // After `issuer_needed`, the client would ask for the issuer.
        throw Self.unknownService(account.text, suggestions)
      }
      throw Failure(
        .issuerNeeded, "no account or known service is called \(account.text)",
        hint: Phrase(
          "name the server with \("--issuer"), or run on a terminal: \(SignInCommand(account.text, request.commandLineOptions()).withPrompts)"
        ))
    }
    if request.registersClient, !configuration.clientID.isEmpty { configuration.forgetClient() }
    try configuration.change(to: request.settings)
    if request.dropsAccessToken { configuration.keepsAccessToken = false }
    configuration.adoptProvider()
    try configuration.checkProvider(request.flow)
    configuration.addOrigins(of: request.resources, withPaths: request.beganAtResource)
    proxyCredentials = try configuration.replaceProxyUnlessNamed(from: request.settings)
    let isAsserted = configuration.assertionSource != nil || request.passedSecrets.contains(.assertion)
    unattended = isAsserted ? .assertion : request.isGuest ? .clientCredentials : nil
    if isAsserted { try Self.refuseOtherFlows(request, account, configuration) }
    self.configuration = configuration
  }

  /// The name without final digits.
  private static func withoutNumber(_ name: String) -> Substring {
    name.prefix(name.utf8.count - name.utf8.reversed().prefix { $0.isASCIIDigit }.count)
  }

  private static func refuseOtherFlows(
    _ request: LoginRequest, _ account: AccountName, _ configuration: AccountConfiguration
  ) throws(Failure) {
    let others = [
      ("register", request.registersClient), ("keep", request.keepsAccessToken),
      ("start", request.isDetached), (request.flow?.rawValue ?? "", request.flow != nil),
    ]
    let handsOverProof = request.passedSecrets.contains(where: PassedSecret.credentials.contains)
    if configuration.assertionGrant == .clientCredentials,
      handsOverProof || configuration.tokenEndpointAuthMethod != .none
    {
      throw Failure(
        .invalidRequest, "with \("--assertion-grant client-credentials") only the assertion identifies the client",
        hint: "omit the secret, the key, the certificate and the client authentication method")
    }
    let sources = [
      (AccountSetting.table.assertionAccount, configuration.assertionAccount != nil, request.assertionAccount != nil),
      (AccountSetting.table.assertionFrom, configuration.assertionFrom != nil, request.assertionFrom != nil),
      (
        AccountSetting.table.assertionFile,
        configuration.assertionFile != nil && configuration.assertionFrom != .kubernetes,
        request.assertionFile != nil
      ),
    ].compactMap { setting, isSet, isNamed in isSet ? (setting.option?.name ?? "", isNamed: isNamed) : nil }
    var names = sources.map(\.0) + (request.passedSecrets.contains(.assertion) ? ["assertion-fd"] : [])
    let unwanted = others.filter(\.1).map(\.0) + request.requirements.options.filter { !$0.values.isEmpty }.map(\.name)
    names += unwanted.prefix(1)
    guard names.count > 1 else { return try configuration.refuseSelfAssertion(as: account) }
    let stored = sources.first { !$0.isNamed }?.0
    throw Failure(
      .invalidRequest, "\(names[1]) cannot be used with \(names[0]), which \(account.text) uses to sign in",
      hint: stored.map { Phrase("for another way to sign in: agent account set \(account.text) --unset \($0)") })
  }

  /// Selects the server if the account is a provider's name, a host or a URL, and names the account after it. With an
  /// issuer in the request, only a provider's name is recognized.
  private static func resolveServer(in request: inout LoginRequest) {
    guard let text = request.account else { return }
    if let name = request.settings.selectProvider(named: text) {
      request.account = name.rawValue
      return
    }
    guard request.issuer == nil else { return }
    let scheme = "https://"
    let hasScheme = text.lowercased().hasPrefix(scheme)
    guard hasScheme || text.utf8.contains(UInt8(ascii: ".")), let uri = try? URI(hasScheme ? text : scheme + text),
      uri.query == nil, uri.fragment == nil
    else { return }
    if request.provider == nil, let provider = Provider.of(baseURL: uri.text) {
      (request.provider, request.account) = (provider.name, provider.name.rawValue)
    } else {
      (request.issuer, request.account) = (uri.path == "/" ? String(uri.text.dropLast()) : uri.text, nil)
    }
  }

  private static func unknownService(_ name: String, _ suggestions: [String]) -> Failure {
    let choices = Phrase.choices(suggestions.map { "agent login \($0)" })
    return Failure(
      .invalidRequest, "no account or known service is called \(TerminalText.clean(name, limit: 64))",
      hint: "did you mean \(choices)? Otherwise name the server with --issuer")
  }

  private static func account(_ request: LoginRequest, _ settings: Settings) throws(Failure) -> AccountName {
    if let name = request.account {
      let suggestions = ProviderName.known(as: name).map(\.rawValue)
      if (try? AccountName(name)) == nil, !suggestions.isEmpty { throw unknownService(name, suggestions) }
      return try AccountName(requested: name)
    }
    guard let issuer = request.issuer else {
      if let active = settings.active { return active }
      throw Failure(
        .noAccount, "no service to sign in to is given",
        hint: "agent help providers")
    }
    let provider = Provider.of(issuer: issuer).map { names(beginningWith: $0.name.rawValue) }
    for name in provider ?? names(forHostOf: issuer) {
      guard let stored = settings[name] else { return name }
      if stored.usesServer(issuer), request.clientID ?? stored.clientID == stored.clientID {
        return name
      }
    }
    throw Failure(
      .invalidRequest, "all default account names for this server are in use; choose a name")
  }

  /// Account names from the URL's host, unnumbered first.
  static func names(forHostOf url: String) -> [AccountName] {
    guard let host = (try? URI(url))?.host else { return [] }
    return names(beginningWith: String(host.filter { $0 != "[" && $0 != "]" && $0 != ":" }.prefix(60)))
  }

  /// The name itself, then with suffixes -2 to -99.
  private static func names(beginningWith base: String) -> [AccountName] {
    (1...99).compactMap { number in try? AccountName(number == 1 ? base : "\(base)-\(number)") }
  }
}

extension AccountSettings {
  /// Returns nil if there is no such provider, another is set, or the issuer is unsuitable.
  mutating func selectProvider(named text: String) -> ProviderName? {
    guard provider == nil, let name = ProviderName(known: text.lowercased()),
      issuer.map({ Provider.named(name).mayHaveIssuer(Issuer.named(byMetadataAt: $0) ?? $0) }) ?? true
    else { return nil }
    provider = name
    return name
  }

  /// The `known` settings as options, without a proxy's password.
  func commandLineOptions(among known: [AccountSetting] = AccountSetting.all) -> [String] {
    var settings = self
    settings.proxy = proxy.flatMap { try? ProxySetting($0).url }
    return known.flatMap { (setting) -> [String] in
      guard let option = setting.option, let value = setting.value(in: settings) else { return [] }
      let values = value.array ?? [value]
      return values.flatMap { value in value.string.map { ["--\(option.name)", $0] } ?? ["--\(option.name)"] }
    }
  }
}

extension LoginRequest {
  /// The options of a ``SignInCommand`` that repeats this request, without file names, which only the client knows.
  /// `new` is a new account's configuration.
  func commandLineOptions(ofNew new: AccountConfiguration? = nil) -> [String] {
    let isUnattended =
      isGuest || passedSecrets.contains(.assertion) || settings.assertionFile != nil || settings.assertionFrom != nil
      || settings.assertionAccount != nil
    var words = new.map { [SignInCommand.new, $0.issuer] } ?? []
    words +=
      isUnattended
      ? [SignInCommand.workload] + settings.commandLineOptions()
      : settings.commandLineOptions(among: AccountSetting.withLoginOption)
    words += requirements.options.flatMap { name, values in values.flatMap { ["--\(name)", $0] } }
    let switches = [
      ("client-secret-prompt", passedSecrets.contains(.clientSecret)), ("register", registersClient),
      ("ephemeral", isEphemeral), ("if-needed", skipCondition == .token),
    ]
    words += switches.flatMap { name, isOn in isOn ? ["--\(name)"] : [] }
    return words + (flow.map { ["--\($0.rawValue)"] } ?? [])
  }
}
