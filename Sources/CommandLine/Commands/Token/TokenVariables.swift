internal import Encoding
internal import Wire

/// The variables that `env` and `exec` set: those that `--var` names, and without it the usual ones.
struct TokenVariables: Sendable {
  /// Those that are set unless `--var` names others.
  private static var usual: [VariableMapping] {
    [
      VariableMapping("AGENT_ACCESS_TOKEN", .accessToken), VariableMapping("AGENT_TOKEN_TYPE", .tokenType),
      VariableMapping("AGENT_TOKEN_EXPIRES_AT", .expiresAt), VariableMapping("AGENT_ACCOUNT", .account),
      VariableMapping("AGENT_ISSUER", .issuer), VariableMapping("AGENT_SUBJECT", .subject),
    ]
  }

  private var mappings: [VariableMapping]
  /// They are the ``usual`` ones.
  private let isUsual: Bool
  /// The token is in a file, and the variables tell where. What a renewal would make untrue is then only set when it
  /// is asked for.
  private let isForFile: Bool

  /// The one that tells where the file is, unless `--var` names others.
  static let fileVariable = "AGENT_TOKEN_FILE"

  /// Those that the prompt keeps fresh. The account is not among the usual ones: it would outlive `agent use`.
  var fresh: TokenVariables {
    var fresh = self
    if isUsual { fresh.mappings.removeAll { $0.field == .account } }
    return fresh
  }

  /// Those that a command line asks for.
  init(_ invocation: Invocation, isForFile: Bool = false) throws(Failure) {
    try self.init(invocation[.variable], isForFile: isForFile)
  }

  /// - Parameter texts: The values of `--var`.
  init(_ texts: [String], isForFile: Bool = false) throws(Failure) {
    self.isForFile = isForFile
    var mappings: [VariableMapping] = []
    for text in texts {
      let mapping = try VariableMapping(text)
      if mapping.field == .tokenFile, !isForFile {
        throw Failure(.invalidRequest, "there is a token file only with \"exec --token-file\"", hint: "agent help exec")
      }
      guard !mappings.contains(where: { $0.name == mapping.name }) else {
        throw Failure(.invalidRequest, "\"--var\" names \(mapping.name) twice")
      }
      mappings.append(mapping)
    }
    isUsual = mappings.isEmpty
    self.mappings = isUsual ? Self.usual : mappings
  }

  /// Those that count for an account: where none are named, the ones of its settings, and else the usual ones.
  func chosen(for account: TokenDescription) throws(Failure) -> TokenVariables {
    try chosen(among: account.variables)
  }

  /// - Parameter named: `NAME=FIELD`, from an account's settings.
  func chosen(among named: [String]) throws(Failure) -> TokenVariables {
    isUsual && !named.isEmpty ? try TokenVariables(named, isForFile: isForFile) : self
  }

  /// The parts of the answer that they need beside the token.
  var extras: TokenRequest.Extras {
    var extras = TokenRequest.Extras(variables: isUsual)
    for mapping in mappings {
      switch mapping.field {
      case .idToken: extras.idToken = true
      case .claim: extras.claims = true
      default: break
      }
    }
    return extras
  }

  /// All that are set or, where they have no value, absent.
  var names: [String] {
    let set = mappings.map(\.name)
    return set + fileNames.filter { !set.contains($0) }
  }

  /// Those that tell where the file is; none where there is no file.
  var fileNames: [String] {
    guard isForFile else { return [] }
    let named = mappings.filter { $0.field == .tokenFile }.map(\.name)
    return named.isEmpty ? [Self.fileVariable] : named
  }

  /// Gives each variable's name and value to `body`, in order; nil stands for a usual one that has no value.
  ///
  /// An ID Token that has expired is left out, too, unless nothing else is asked for.
  ///
  /// - Throws: `missing_value` for one of `--var` that has none; what `body` throws.
  func forEach(
    _ answer: TokenAnswer, from line: Span<UInt8>, _ body: (String, Span<UInt8>?) throws(Failure) -> Void
  ) throws(Failure) {
    // A renewal would make these two untrue.
    let untrue: [TokenField] = isUsual && isForFile ? [.accessToken, .expiresAt] : []
    let mayLackIDToken = answer.description.isIDTokenExpired && mappings.contains { $0.field != .idToken }
    for mapping in mappings where mapping.field != .tokenFile && !untrue.contains(mapping.field) {
      try mapping.field.withValue(in: answer, from: line) { (value) throws(Failure) in
        let mayLack = isUsual || mayLackIDToken && mapping.field == .idToken
        if value == nil, !mayLack { throw mapping.missing(in: answer) }
        try body(mapping.name, value)
      }
    }
  }

  /// Gives each token among the values to `body`.
  func forEachToken(
    _ answer: TokenAnswer, from line: Span<UInt8>, _ body: (Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    for mapping in mappings where mapping.field == .accessToken || mapping.field == .idToken {
      try mapping.field.withValue(in: answer, from: line) { (value) throws(Failure) in
        if let value { try body(value) }
      }
    }
  }

  /// An environment without the usual variables, and those of a file.
  static func removed(from environment: [[UInt8]]) -> [[UInt8]] {
    removed(usual.map(\.name) + [fileVariable], from: environment)
  }

  /// An environment without the variables that are set anew: they are all of one token or absent.
  func removed(from environment: [[UInt8]]) -> [[UInt8]] { Self.removed(names, from: environment) }

  private static func removed(_ names: [String], from environment: [[UInt8]]) -> [[UInt8]] {
    let prefixes = names.map { "\($0)=" }
    return environment.filter { entry in !prefixes.contains { entry.starts(with: $0.utf8) } }
  }

  /// Adds the variables to an environment.
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

  /// The failure of a variable that cannot hold the value that the server chose for it.
  static func unusable(_ name: String) -> Failure {
    Failure(.serverMisbehaved, "the value of \(name) holds a control character, so it is not set")
  }
}
