internal import AgentSocket
internal import Platform
internal import Wire

/// What a command line hands over to the daemon: the open files that its options name, in the order of
/// ``HandedSecret``. The daemon reads them, so that what is in a file never is in this process's memory.
struct HandedFiles {
  private(set) var announced: Set<HandedSecret> = []
  private(set) var descriptors: [SharedDescriptor] = []

  /// The options that take a file, with what is read from it.
  private static let files: [(option: OptionName, kind: HandedSecret, name: String)] = [
    (.clientSecretFile, .clientSecret, "client secret"), (.clientKeyFile, .clientKey, "client key"),
    (.clientCertificateFile, .clientCertificate, "client certificate"),
    (.initialAccessTokenFile, .initialAccessToken, "initial access token"),
  ]

  /// - Throws: `invalid_request` for a file that cannot be read, for two ways to give one secret, and for two
  ///   secrets in standard input, whatever options name them.
  init(_ invocation: Invocation) throws(Failure) {
    try SharedInput.refuse(invocation)
    try Self.check(invocation)
    for kind in HandedSecret.allCases {
      guard let descriptor = try Self.open(kind, invocation) else { continue }
      announced.insert(kind)
      descriptors.append(SharedDescriptor(descriptor))
    }
  }

  private static func check(_ invocation: Invocation) throws(Failure) {
    let ways = [OptionName.clientSecretFile, .clientSecretEnvironment, .clientSecretPrompt].filter(invocation.has)
    guard ways.count <= 1 else {
      throw Failure(.invalidRequest, "give one of \(ways.map { "--\($0.rawValue)" }.joined(separator: " and "))")
    }
  }

  private static func open(_ kind: HandedSecret, _ invocation: Invocation) throws(Failure) -> FileDescriptor? {
    if let file = files.first(where: { $0.kind == kind }), let path = invocation.text(file.option) {
      return try LoginOptions.openSecret(path, called: file.name, option: file.option)
    }
    guard kind == .clientSecret else { return nil }
    if let name = invocation.text(.clientSecretEnvironment) { return try variable(name) }
    if invocation.has(.clientSecretPrompt) { return try asked(invocation) }
    return nil
  }

  private static func variable(_ name: String) throws(Failure) -> FileDescriptor {
    guard let value = Environment.value(name), !value.isEmpty else {
      throw Failure(.invalidRequest, "the environment variable \"\(name)\" is not set, or empty")
    }
    return try pipe(holding: Array(value.utf8).span, called: "client secret")
  }

  private static func asked(_ invocation: Invocation) throws(Failure) -> FileDescriptor {
    guard !invocation.has(.noInput) else {
      throw Failure(.invalidRequest, "--client-secret-prompt reads from the terminal, which --no-input forbids")
    }
    return try SecretPrompt.ask(Phrase("Client secret"), hint: "name a file: --client-secret-file") {
      (secret) throws(Failure) in try pipe(holding: secret, called: "client secret")
    }
  }

  /// What a pipe holds without anybody reading it (pipe(7)), far more than a secret may have.
  private static let mostPiped = 32_768

  /// The end to read from of a pipe with these bytes in it.
  static func pipe(holding bytes: Span<UInt8>, called name: String) throws(Failure) -> FileDescriptor {
    guard bytes.count <= mostPiped else { throw Failure(.invalidRequest, "the \(name) is too long") }
    do {
      let pipe = try Pipe()
      try pipe.writing.writeAll(bytes)
      return pipe.reading
    } catch {
      throw Failure(error, doing: "the \(name) could not be handed over")
    }
  }
}
