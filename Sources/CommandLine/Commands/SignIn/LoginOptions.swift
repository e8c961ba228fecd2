internal import Encoding
internal import Platform
internal import Wire

enum LoginOptions {
  static func request(_ invocation: Invocation) throws(Failure) -> LoginRequest {
    var request = try commonRequest(invocation)
    request.flow = try flow(invocation)
    request.canOpenBrowser = request.flow == nil && BrowserEnvironment.current.canOpenBrowser
    request.requirements.prompt = try invocation[.prompt].map { (prompt) throws(Failure) in
      let words = prompt.split(separator: " ")
      guard words.count < 2 || !words.contains("none") else {
        throw Failure(.invalidRequest, "the prompt \("none") cannot be combined with others")
      }
      return prompt
    }
    request.dropsAccessToken = invocation[.noKeep]
    if request.dropsAccessToken, request.keepsAccessToken {
      throw invocation.conflict(AccountSetting.table.keepsAccessToken.declaration, Option.noKeep.declaration)
    }
    request.requirements.loginHint = invocation[.loginHint]
    request.requirements.acrValues = invocation[.acr]
    request.requirements.maxAge = invocation[.maxAge]
    request.requirements.claimsChallenge = invocation[.claimsChallenge]
    return request
  }

  /// The request for a sign-in without a user.
  static func workloadRequest(_ invocation: Invocation) throws(Failure) -> LoginRequest {
    var request = try commonRequest(invocation)
    request.isGuest = true
    return request
  }

  private static func commonRequest(_ invocation: Invocation) throws(Failure) -> LoginRequest {
    var request = LoginRequest()
    request.settings = try SettingsOptions.read(invocation)
    (request.account, request.issuer) = try accountAndIssuer(invocation)
    request.registersClient = invocation[.register]
    request.isEphemeral = invocation[.ephemeral]
    if request.isEphemeral {
      // These options need a file, or would leave a registered client at the server.
      let others = [
        ("register", request.registersClient), ("keep", request.keepsAccessToken),
        ("protect", request.protection != nil),
      ]
      if let other = others.first(where: \.1) {
        throw Failure(.invalidRequest, "--ephemeral cannot be used with --\(other.0)")
      }
    }
    if invocation[.ifNeeded] { request.skipCondition = .token }
    if !invocation.has(AccountSetting.table.proxy.declaration) {
      (request.proxy, request.proxyExclusions) = proxy(from: Environment.value)
    }
    return request
  }

  /// Parses a hint's `agent login`. Nil for other commands, and for a URL, whose server the user must trust first.
  static func request(of command: String, by commands: CommandTable) -> LoginRequest? {
    guard let invocation = invocation(of: command, by: commands), invocation.command?.name == .login,
      urlOperand(invocation) == nil
    else { return nil }
    return try? request(invocation)
  }

  /// Parses a hint's command; nil unless a valid `agent` command.
  static func invocation(of command: String, by commands: CommandTable) -> Invocation? {
    guard let words = ShellWord.words(command), words.first.map({ $0 == "agent" }) ?? false else {
      return nil
    }
    return try? Parser.parse(Array(words.dropFirst()), by: commands)
  }

  private static func flow(_ invocation: Invocation) throws(Failure) -> LoginRequest.Flow? {
    let named: [(Option<Bool>, LoginRequest.Flow)] = [(.browser, .browser), (.device, .device), (.paste, .paste)]
    let given = named.filter { invocation[$0.0] }
    guard given.count < 2 else {
      throw Failure(.invalidRequest, "--\(given[0].0.name) cannot be used with --\(given[1].0.name)")
    }
    return given.first?.1
  }

  /// Assumes that a URL operand is an issuer until ``ResourceLogin`` finds a resource.
  private static func accountAndIssuer(_ invocation: Invocation) throws(Failure) -> (String?, String?) {
    guard let operand = urlOperand(invocation) else { return (try invocation.account(), invocation[.issuer]) }
    return (try invocation.account(operand: nil), invocation[.issuer] ?? operand)
  }

  static func urlOperand(_ invocation: Invocation) -> String? {
    invocation.operands.first.flatMap { $0.utf8.contains(UInt8(ascii: ":")) ? $0 : nil }
  }

  /// The https proxy and its exclusions, from curl's variables, lower case first.
  static func proxy(from variables: (String) -> String?) -> (url: String?, exclusions: String?) {
    func first(_ names: [String]) -> String? {
      names.compactMap { variables($0) }.first { !$0.isEmpty }
    }
    guard let url = first(["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]) else { return (nil, nil) }
    return (url, first(["no_proxy", "NO_PROXY"]))
  }
}
