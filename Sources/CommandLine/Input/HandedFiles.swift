internal import AgentSocket
internal import Platform
internal import Wire

/// The secrets that a command passes to the daemon as files, in the order of ``HandedSecret``.
struct HandedFiles {
  private let files: [(kind: HandedSecret, secret: NamedSecret)]

  /// The name of the variable with the client secret.
  private let variable: String?

  /// Whether to prompt for the client secret.
  private let asks: Bool

  /// - Parameter kinds: The secrets that the command accepts.
  /// - Throws: `invalid_request` if a secret is given twice or two come from standard input.
  init(_ kinds: Set<HandedSecret>, _ invocation: Invocation) throws(Failure) {
    var files: [(HandedSecret, NamedSecret)] = []
    for kind in HandedSecret.allCases where kinds.contains(kind) {
      let secret = try Self.secret(kind, invocation)
      if secret.isNamed { files.append((kind, secret)) }
    }
    self.files = files
    guard kinds.contains(.clientSecret) else {
      (variable, asks) = (nil, false)
      return
    }
    variable = invocation[.clientSecretEnvironment]
    asks = invocation[.clientSecretPrompt]
    let ways: [OptionDeclaration] = [
      Option.clientSecretFile.declaration, Option.clientSecretEnvironment.declaration,
      Option.clientSecretPrompt.declaration,
    ].filter(invocation.has)
    guard ways.count <= 1 else {
      throw Failure(.invalidRequest, Phrase("use only one of \(Phrase.all(ways.map { "--\($0.name)" }))"))
    }
    if asks, invocation[.noInput] {
      throw Failure(.invalidRequest, "--client-secret-prompt needs the terminal, but --no-input is set")
    }
  }

  private static func secret(_ kind: HandedSecret, _ invocation: Invocation) throws(Failure) -> NamedSecret {
    switch kind {
    case .clientSecret: try NamedSecret(Phrase("client secret"), .clientSecretFile, invocation)
    case .clientKey: try NamedSecret(Phrase("client key"), .clientKeyFile, invocation)
    case .clientCertificate: try NamedSecret(Phrase("client certificate"), .clientCertificateFile, invocation)
    case .initialAccessToken:
      try NamedSecret(Phrase("initial access token"), .initialAccessTokenFile, invocation)
    case .assertion: try NamedSecret(Phrase("assertion"), only: .assertionFD, else: "assertion-file", invocation)
    }
  }

  /// The secrets that the request announces.
  var announced: Set<HandedSecret> {
    Set(files.map(\.kind)).union(variable != nil || asks ? [.clientSecret] : [])
  }

  static func askForClientSecret() throws(Failure) -> SharedDescriptor {
    SharedDescriptor(
      try SecretPrompt.ask(Phrase("Client secret"), hint: "use a file: --client-secret-file") {
        (secret) throws(Failure) in try FileDescriptor.pipe(holding: secret, called: Phrase("client secret"))
      })
  }

  /// Opens the files and prompts for typed secrets.
  ///
  /// - Throws: `invalid_request` for an unreadable file or an unset variable.
  func open() throws(Failure) -> [SharedDescriptor] {
    var descriptors: [SharedDescriptor] = []
    // The client secret comes first, whatever its source.
    if let variable {
      guard let value = Environment.value(variable), !value.isEmpty else {
        throw Failure(.invalidRequest, "the environment variable \"\(variable)\" is not set or empty")
      }
      descriptors.append(
        SharedDescriptor(try FileDescriptor.pipe(holding: Array(value.utf8).span, called: Phrase("client secret"))))
    } else if asks {
      descriptors.append(try Self.askForClientSecret())
    }
    for (_, secret) in files {
      if let file = try secret.open() { descriptors.append(SharedDescriptor(file)) }
    }
    return descriptors
  }
}
