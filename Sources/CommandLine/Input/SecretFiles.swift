internal import Platform
internal import Wire

/// The secrets that a command passes to the daemon, in the order of ``PassedSecret``.
struct SecretFiles {
  private let files: [(kind: PassedSecret, secret: NamedSecret)]

  private let promptsForClientSecret: Bool

  init(_ kinds: Set<PassedSecret>, _ invocation: Invocation) throws(Failure) {
    var files: [(PassedSecret, NamedSecret)] = []
    // A client that is about to register has no secret yet.
    let absent: PassedSecret? =
      kinds.contains(.initialAccessToken) ? invocation[.register] ? .clientSecret : .initialAccessToken : nil
    for kind in PassedSecret.allCases where kinds.contains(kind) && kind != absent {
      let secret = try Self.secret(kind, invocation)
      if secret.isNamed { files.append((kind, secret)) }
    }
    self.files = files
    promptsForClientSecret = kinds.contains(.clientSecret) && invocation[.clientSecretPrompt]
    if promptsForClientSecret, invocation.has(.clientSecretFile) {
      throw invocation.conflict(Option.clientSecretFile.declaration, Option.clientSecretPrompt.declaration)
    }
    if promptsForClientSecret, invocation[.noInput] {
      throw Failure(.invalidRequest, "--client-secret-prompt needs the terminal, but --no-input is set")
    }
  }

  private static func secret(_ kind: PassedSecret, _ invocation: Invocation) throws(Failure) -> NamedSecret {
    switch kind {
    case .clientSecret: try NamedSecret(Phrase("client secret"), .clientSecretFile, invocation)
    case .clientKey: try NamedSecret(Phrase("client key"), .clientKeyFile, invocation)
    case .clientCertificate: try NamedSecret(Phrase("client certificate"), .clientCertificateFile, invocation)
    case .initialAccessToken:
      try NamedSecret(Phrase("initial access token"), .clientSecretFile, invocation)
    case .assertion: try NamedSecret(Phrase("assertion"), nil, or: .assertionFD, else: "assertion-file", invocation)
    }
  }

  var announcedKinds: Set<PassedSecret> {
    Set(files.map(\.kind)).union(promptsForClientSecret ? [.clientSecret] : [])
  }

  /// Returns a pipe with the typed secret.
  static func askForClientSecret() throws(Failure) -> SharedDescriptor {
    SharedDescriptor(
      try SecretPrompt.ask(Phrase("Client secret"), hint: "use a file: --client-secret-file") {
        (secret) throws(Failure) in try FileDescriptor.pipe(containing: secret, named: Phrase("client secret"))
      })
  }

  /// Opens the files, and prompts if requested.
  func open() throws(Failure) -> [SharedDescriptor] {
    var descriptors: [SharedDescriptor] = []
    if promptsForClientSecret { descriptors.append(try Self.askForClientSecret()) }
    for (_, secret) in files {
      if let file = try secret.open() { descriptors.append(SharedDescriptor(file)) }
    }
    return descriptors
  }
}
