internal import Encoding
internal import Wire

/// The variables that `env` and `exec` set.
struct TokenVariables: Sendable {
  private static var defaults: [VariableMapping] {
    [
      VariableMapping("AGENT_ACCESS_TOKEN", .accessToken), VariableMapping("AGENT_TOKEN_TYPE", .tokenType),
      VariableMapping("AGENT_TOKEN_EXPIRES_AT", .expiresAt), VariableMapping("AGENT_ACCOUNT", .account),
      VariableMapping("AGENT_ISSUER", .issuer), VariableMapping("AGENT_SUBJECT", .subject),
    ]
  }

  private var mappings: [VariableMapping]
  private let areDefaults: Bool
  /// Whether the token is in a file. The defaults then exclude variables that change with it.
  private let isForFile: Bool

  static let fileVariable = "AGENT_TOKEN_FILE"

  /// Excludes the default variable for the account, which would override `agent use`.
  var hookVariables: TokenVariables {
    var hookVariables = self
    if areDefaults { hookVariables.mappings.removeAll { $0.field == .account } }
    return hookVariables
  }

  init(_ invocation: Invocation, isForFile: Bool = false) throws(Failure) {
    try self.init(invocation[.variable], isForFile: isForFile)
  }

  /// The variables in `texts`, the values of `--var`; the defaults if empty.
  init(_ texts: [String], isForFile: Bool = false) throws(Failure) {
    self.isForFile = isForFile
    var mappings: [VariableMapping] = []
    for text in texts {
      let mapping = try VariableMapping(text)
      if mapping.field == .tokenFile, !isForFile {
        throw Failure(.invalidRequest, "a token file requires \"exec --token-file\"", hint: "agent help exec")
      }
      guard !mappings.contains(where: { $0.name == mapping.name }) else {
        throw Failure(.invalidRequest, "\"--var\" sets \(mapping.name) twice")
      }
      mappings.append(mapping)
    }
    areDefaults = mappings.isEmpty
    self.mappings = areDefaults ? Self.defaults : mappings
  }

  /// The variables on the command line, else in the settings, else the defaults.
  func effective(for account: TokenDescription) throws(Failure) -> TokenVariables {
    try effective(settings: account.variables)
  }

  /// Like ``effective(for:)``; `named` contains `NAME=FIELD`.
  func effective(settings named: [String]) throws(Failure) -> TokenVariables {
    areDefaults && !named.isEmpty ? try TokenVariables(named, isForFile: isForFile) : self
  }

  /// Response parts that the variables need.
  var extras: TokenRequest.Extras {
    var extras = TokenRequest.Extras(wantsVariables: areDefaults)
    for mapping in mappings {
      switch mapping.field {
      case .idToken: extras.wantsIDToken = true
      case .claim: extras.wantsClaims = true
      default: break
      }
    }
    return extras
  }

  var names: [String] {
    let set = mappings.map(\.name)
    return set + fileNames.filter { !set.contains($0) }
  }

  /// Empty without a token file.
  var fileNames: [String] {
    guard isForFile else { return [] }
    let named = mappings.filter { $0.field == .tokenFile }.map(\.name)
    return named.isEmpty ? [Self.fileVariable] : named
  }

  /// Calls `body` with each variable and its value, in order. Passes nil for a missing value of a default variable, and
  /// for an expired ID Token among other fields. Any other missing value throws `missing_value`; an expired ID Token
  /// alone throws `interaction_required`.
  func forEach(
    _ answer: TokenAnswer, from line: Span<UInt8>, _ body: (String, Span<UInt8>?) throws(Failure) -> Void
  ) throws(Failure) {
    // A renewal would invalidate these.
    let untrue: [TokenField] = areDefaults && isForFile ? [.accessToken, .expiresAt] : []
    let mayLackIDToken = answer.description.isIDTokenExpired && mappings.contains { $0.field != .idToken }
    for mapping in mappings where mapping.field != .tokenFile && !untrue.contains(mapping.field) {
      try mapping.field.withValue(in: answer, from: line) { (value) throws(Failure) in
        let mayLack = areDefaults || mayLackIDToken && mapping.field == .idToken
        if value == nil, !mayLack { throw mapping.missing(in: answer) }
        try body(mapping.name, value)
      }
    }
  }

  func forEachToken(
    _ answer: TokenAnswer, from line: Span<UInt8>, _ body: (Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    for mapping in mappings where mapping.field == .accessToken || mapping.field == .idToken {
      try mapping.field.withValue(in: answer, from: line) { (value) throws(Failure) in
        if let value { try body(value) }
      }
    }
  }

  /// Removes the default variables.
  static func removed(from environment: [[UInt8]]) -> [[UInt8]] {
    removed(defaults.map(\.name) + [fileVariable], from: environment)
  }

  /// Removes the variables to be set, so that all belong to one token.
  func removed(from environment: [[UInt8]]) -> [[UInt8]] { Self.removed(names, from: environment) }

  private static func removed(_ names: [String], from environment: [[UInt8]]) -> [[UInt8]] {
    let prefixes = names.map { "\($0)=" }
    return environment.filter { entry in !prefixes.contains { entry.starts(with: $0.utf8) } }
  }

  func append(_ answer: TokenAnswer, from line: Span<UInt8>, to environment: inout [[UInt8]]) throws(Failure) {
    try forEach(answer, from: line) { (name, value) throws(Failure) in
      guard let value else { return }
      for index in value.indices where value[index] == 0 { throw Self.unusable(name) }
      var entry: [UInt8] = []
      entry.reserveCapacity(name.utf8.count + 1 + value.count)
      entry.append(contentsOf: "\(name)=".utf8)
      entry.append(contentsOf: value)
      environment.append(entry)
    }
  }

  /// For a value that the variable cannot contain.
  static func unusable(_ name: String) -> Failure {
    Failure(.serverMisbehaved, "the value of \(name) contains a control character, so it is not set")
  }
}
