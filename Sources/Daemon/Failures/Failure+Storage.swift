internal import Encoding
internal import Platform
internal import Sessions
internal import Vault
internal import Wire

extension Failure {
  /// Describes an error in the settings, or in a passed file or secret.
  init(_ error: ConfigurationError) {
    switch error.code {
    case .invalid:
      self.init(
        .invalidConfiguration, error.addLocation(to: error.problem),
        hint: Phrase("fix it by hand, or move it away and sign in again"))
    case .unknownMember(let known):
      let name = error.path.split(separator: ".").last.map { String($0) } ?? error.path
      self.init(
        .invalidConfiguration, error.addLocation(to: Phrase("unknown setting \(TerminalText.clean(error.path))")),
        hint: Phrase.didYouMean(name, among: known) ?? Phrase("choose one of \(known.joined(separator: ", "))"))
    case .unsupportedVersion:
      self.init(
        .invalidConfiguration,
        error.addLocation(to: Phrase("the settings file has a version that this program does not know")))
    case .tooManyAccounts:
      self.init(.invalidConfiguration, "there are already \(Settings.maximumAccounts) accounts")
    case .accountExists:
      self.init(
        .accountExists, "the account \(TerminalText.clean(error.path, limit: 64)) already exists",
        hint: .command("agent account show \(TerminalText.clean(error.path, limit: 64))"))
    case .accountChanged:
      self.init(
        .tooBusy, "another process changed the account \(TerminalText.clean(error.path, limit: 64)) at the same time",
        hint: "try again")
    case .directory(let problem):
      self.init(
        .storage, "cannot use the settings: \(Phrase(problem))",
        hint: problem.remedy.map { Phrase(verbatim: $0) })
    case .storage(let problem) where problem.wouldBlock:
      self.init(
        .tooBusy, "another program holds a lock on the settings file \(TerminalText.clean(error.path))",
        hint: "wait for it to finish, then try again")
    case .storage(let problem):
      self.init(
        .storage,
        Phrase("the settings file \(TerminalText.clean(error.path)): \(Phrase(stringLiteral: problem.message))"))
    case .clientsFile(let problem): self.init(problem)
    case .unknownProvider: self = .unknownProvider(error.path)
    case .caFile(let problem?):
      self.init(
        .invalidConfiguration,
        "cannot read the file \"\(TerminalText.clean(error.path))\": \(Phrase(stringLiteral: problem.message))")
    case .caFile(nil):
      self.init(
        .invalidConfiguration, "\(TerminalText.clean(error.path)) is not a readable PEM file with certificates")
    case .unusableSecret(let secret, let problem):
      self.init(.invalidConfiguration, Phrase(problem, of: secret.title))
    case .missingClientSecret:
      self.init(
        .invalidConfiguration, "the client authentication of this account needs a client secret",
        hint: "to enter it: \(Phrase.commandWithSwitch("client-secret-prompt"))")
    case .unusableClientKey(let problem): self.init(.invalidConfiguration, problem.text)
    case .unusableClientCertificate:
      self.init(
        .invalidConfiguration, "the client's certificate is not in PEM format or does not match the client's key")
    case .mismatchedKeyAlgorithm:
      self.init(
        .invalidConfiguration, "the client's key cannot be used with \(TerminalText.clean(error.path, limit: 64))",
        hint: "remove the account's setting \("client-key-algorithm") to use the one that matches the key")
    case .missingClientKey:
      self.init(
        .invalidConfiguration, "the client authentication of this account needs a private key",
        hint: "set its file with \("--client-key-file")")
    case .missingClientCertificate:
      self.init(
        .invalidConfiguration, "the client authentication of this account needs a certificate",
        hint: "set both files with \("--client-certificate-file") and \("--client-key-file")")
    case .invalidPassphrase:
      self.init(
        .invalidConfiguration,
        "a passphrase or PIN must have 1 to \(VaultSecret.maximumBytes) bytes of UTF-8")
    case .invalidPin:
      self.init(.invalidConfiguration, "a pin must have the form sha256//BASE64=")
    }
  }

  /// Describes a vault error. `account` is the requested session's.
  init(_ error: VaultError, account: String?) {
    let row = error.row(account)
    self.init(row.failure, row.sentence, hint: row.hint)
    guard let path = error.path, error.isAboutFile else { return }
    let shown = TerminalText.clean(path)
    guard error.code == .badPermissions else {
      text = Phrase("\(shown): \(text)")
      return
    }
    let problem = FileProblem.of(path, mustBeFile: !error.isAboutDirectory)
    text = problem.map { Phrase($0, of: shown) } ?? Phrase("\(shown): \(text)")
    advice = Self.remedy(problem, of: path) ?? advice
  }

  /// The remedy for a vault file's problem. Nil if a terminal cannot show the path.
  private static func remedy(_ problem: FileProblem?, of path: String) -> Phrase? {
    guard TerminalText.clean(path).hasSameBytes(as: path) else { return nil }
    let quoted = "'\(path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
    return switch problem {
    case .tooOpen?, .writable?:
      problem.flatMap { DirectoryError.untrusted($0, path: path).remedy }.map { Phrase(verbatim: $0) }
    case .notOwned?: Phrase(verbatim: "sudo chown \(Machine.userID) \(quoted)")
    case .symbolicLink?, .dangling?: Phrase("replace the link with the file itself")
    case .special?, .notRegular?, .notDirectory?: Phrase("replace it with the right file")
    case .onDisk?: nil
    case nil: FileAccess(of: path) == .missing ? nil : Phrase(verbatim: "chmod u+rwX \(quoted)")
    }
  }
}

extension ConfigurationError {
  fileprivate func addLocation(to text: Phrase) -> Phrase {
    guard let line else { return text }
    return text.located(in: line.file, at: line.position)
  }

  fileprivate var problem: Phrase {
    if let syntax = line?.syntax { return Phrase(syntax) }
    if path == Settings.wholeFile { return Phrase("the settings file is not valid") }
    let name = TerminalText.clean(path)
    guard let expected = expected.map({ Phrase($0) }) ?? expectation else {
      return Phrase("the settings file is not valid at: \(name)")
    }
    return line?.isMissing == true
      ? Phrase("\(name) is missing; it must be \(expected)") : Phrase("\(name) must be \(expected)")
  }

  /// Valid values of some settings, to follow "must be".
  private var expectation: Phrase? {
    let parts = path.split(separator: ".")
    switch (parts.first, parts.last) {
    case ("version", _): return Phrase("the number \(Settings.version)")
    case ("active", _), ("previous", _): return Phrase("the name of an account")
    case ("lock_after", _): return Phrase("a number of seconds, at most 30 days")
    case ("accounts", "issuer"): return Phrase("the URL of the issuer")
    case ("accounts", "client_id"): return Phrase("the client ID")
    case ("accounts", _) where parts.count < 3: return Phrase("an object that maps account names to accounts")
    case (_, "events"): return Phrase("a list of event names")
    case (_, "account"): return Phrase("the name of an account")
    case (_, "run"): return Phrase("a list of texts, starting with the absolute path of a program")
    case (_, "timeout"): return Phrase("a number of seconds from 1 to 300")
    case (let first?, _) where first.hasPrefix("on"):
      return Phrase("a list of at most \(EventCommand.maximumCount) objects")
    default: return nil
    }
  }
}

extension AccountName {
  /// Throws `invalid_request` if the text is not a valid account name.
  init(requested text: String) throws(Failure) {
    do { try self.init(text) } catch {
      throw Failure(
        .invalidRequest,
        "an account name must have 1 to 64 letters, digits, dots, dashes or underscores, and must not start with a dot or a dash"
      )
    }
  }
}

extension ConfigurationError.KeyProblem {
  fileprivate var text: Phrase {
    switch self {
    case .malformed: Phrase("the client's key is neither a PEM private key nor a JSON Web Key")
    case .encrypted:
      Phrase("the client's key is protected by a passphrase; decrypt it first, for example with openssl pkey")
    case .unsupported: Phrase("the client's key has an unsupported type or is not a signing key")
    case .weak: Phrase("the client's key is too weak: RSA keys need at least 2048 bits")
    case .tpmKeyNeedsPassword:
      Phrase("the client's key is in the TPM and has its own authorization; create one without it")
    case .tpmKeyUnsuitable:
      Phrase(
        "the client's key is in the TPM but cannot be used; create a P-256 key without a policy, as shown in agent-client(7)"
      )
    }
  }
}

extension ConfigurationError.Secret {
  fileprivate var title: Phrase {
    switch self {
    case .clientSecret: Phrase("the client secret")
    case .initialAccessToken: Phrase("the initial access token")
    case .refreshToken: Phrase("the refresh token")
    case .clientKey: Phrase("the file with the client's key")
    case .clientCertificate: Phrase("the file with the client's certificate")
    }
  }
}

extension Phrase {
  fileprivate init(_ problem: ConfigurationError.SecretProblem, of title: Phrase) {
    switch problem {
    case .empty: self = Phrase("\(title) is empty")
    case .tooLong: self = Phrase("\(title) is too long")
    case .unreadable: self = Phrase("cannot read \(title)")
    case .malformed: self = Phrase("\(title) must be one line of printable ASCII characters")
    }
  }
}
