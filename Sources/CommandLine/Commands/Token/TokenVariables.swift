internal import Wire

/// The variables that `env` and `exec` set: those that `--var` names, and without it the usual ones.
struct TokenVariables: Sendable {
  /// Empty for the usual ones, those of ``ShellVariable``.
  private let mappings: [VariableMapping]
  /// The token is in a file, and the variables tell where. What a renewal would make untrue is then only set when it
  /// is asked for.
  private let isForFile: Bool
  /// Left out of the usual ones.
  private var omitted: ShellVariable?

  /// The one that tells where the file is, unless `--var` names others.
  static let fileVariable = "AGENT_TOKEN_FILE"

  /// Those that the prompt keeps fresh. The account is not among the usual ones: it would outlive `agent use`.
  var fresh: TokenVariables {
    var fresh = self
    fresh.omitted = .account
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
    self.mappings = mappings
  }

  /// The parts of the answer that they need beside the token.
  var extras: TokenRequest.Extras {
    var extras = TokenRequest.Extras()
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
    let usual = ShellVariable.allCases.filter { $0 != omitted }
    let set = mappings.isEmpty ? usual.map(\.rawValue) : mappings.map(\.name)
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
  /// - Throws: `missing_value` for one of `--var` that has none; what `body` throws.
  func forEach(
    _ answer: TokenAnswer, from line: Span<UInt8>, _ body: (String, Span<UInt8>?) throws(Failure) -> Void
  ) throws(Failure) {
    guard !mappings.isEmpty else { return try forEachUsual(answer, from: line, body) }
    for mapping in mappings where mapping.field != .tokenFile {
      try mapping.field.withValue(in: answer, from: line) { (value) throws(Failure) in
        guard let value else { throw mapping.missing(in: answer) }
        try body(mapping.name, value)
      }
    }
  }

  private func forEachUsual(
    _ answer: TokenAnswer, from line: Span<UInt8>, _ body: (String, Span<UInt8>?) throws(Failure) -> Void
  ) throws(Failure) {
    for variable in ShellVariable.allCases where variable != omitted && !(isForFile && variable.changesWithToken) {
      try variable.field.withValue(in: answer, from: line) { (value) throws(Failure) in
        try body(variable.rawValue, value)
      }
    }
  }

  /// That a variable cannot hold what the server chose for it.
  static func unusable(_ name: String) -> Failure {
    Failure(.serverMisbehaved, "the value of \(name) holds a control character, so it is not set")
  }
}

/// A variable that `env` and `exec` set unless `--var` names others.
enum ShellVariable: String, CaseIterable, Sendable {
  case accessToken = "AGENT_ACCESS_TOKEN"
  case tokenType = "AGENT_TOKEN_TYPE"
  case expiresAt = "AGENT_TOKEN_EXPIRES_AT"
  case account = "AGENT_ACCOUNT"
  case issuer = "AGENT_ISSUER"
  case subject = "AGENT_SUBJECT"

  /// Whether a renewal gives it another value.
  var changesWithToken: Bool { self == .accessToken || self == .expiresAt }

  /// The field that is its value.
  var field: TokenField {
    switch self {
    case .accessToken: .accessToken
    case .tokenType: .tokenType
    case .expiresAt: .expiresAt
    case .account: .account
    case .issuer: .issuer
    case .subject: .subject
    }
  }
}
