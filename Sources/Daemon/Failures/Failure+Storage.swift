internal import Encoding
internal import Platform
internal import Sessions
internal import Vault
internal import Vocabulary
internal import Wire

extension Failure {
  /// Describes an error of the settings or of files sent with a request.
  init(_ error: ConfigurationError) {
    switch error.code {
    case .invalid:
      self.init(
        .invalidConfiguration, error.located(error.problem),
        hint: Phrase("fix it by hand, or move it away and sign in again"))
    case .unknownMember(let known):
      let name = error.place.split(separator: ".").last.map { String($0) } ?? error.place
      self.init(
        .invalidConfiguration, error.located(Phrase("there is no setting \(TerminalText.clean(error.place))")),
        hint: Phrase.meant(by: name, among: known) ?? Phrase("choose one of \(known.joined(separator: ", "))"))
    case .unsupportedVersion:
      self.init(
        .invalidConfiguration, error.located(Phrase("the settings file is of a version this program does not know")))
    case .tooManyAccounts:
      self.init(.invalidConfiguration, "there are already \(Settings.maximumAccounts) accounts")
    case .accountExists:
      self.init(
        .accountExists, "there is an account named \(TerminalText.clean(error.place, limit: 64)) already",
        hint: "choose another name, or remove it: agent account remove \(TerminalText.clean(error.place, limit: 64))")
    case .accountChanged:
      self.init(
        .tooBusy, "another process changed the account \(TerminalText.clean(error.place, limit: 64)) at the same time",
        hint: "try again")
    case .directory(let problem):
      self.init(
        .storage, "the settings cannot be used: \(Phrase(problem))",
        hint: problem.remedy.map { Phrase(verbatim: $0) })
    case .storage(let problem) where problem.isAgain:
      self.init(
        .tooBusy, "another program keeps the settings file \(TerminalText.clean(error.place)) locked",
        hint: "end what it does, then try again")
    case .storage(let problem):
      self.init(
        .storage,
        Phrase("the settings file \(TerminalText.clean(error.place)): \(Phrase(stringLiteral: problem.message))"))
    case .clientsFile:
      self.init(
        .invalidConfiguration,
        "the file of client ids is not valid at: \(TerminalText.clean(error.place, limit: 2048))",
        hint: "see agent-config(5), or name the client with \("--client-id")")
    case .caFile(let problem?):
      self.init(
        .invalidConfiguration,
        "the file \"\(TerminalText.clean(error.place))\" cannot be read: \(Phrase(stringLiteral: problem.message))")
    case .caFile(nil):
      self.init(
        .invalidConfiguration, "\(TerminalText.clean(error.place)) is not a readable PEM file with certificates")
    case .proxy: self.init(.invalidConfiguration, "the proxy's URL is not valid")
    case .clientSecret:
      self.init(.invalidConfiguration, "the client secret is empty, too long, or not printable ASCII on one line")
    case .refreshToken:
      self.init(.invalidConfiguration, "the refresh token is empty, too long, or not printable ASCII on one line")
    case .missingClientSecret:
      self.init(
        .invalidConfiguration, "the client authentication of this account needs a client secret",
        hint: "to be asked for it: \(Phrase.switching("client-secret-prompt"))")
    case .clientKey(let problem): self.init(.invalidConfiguration, problem.text)
    case .clientCertificate:
      self.init(
        .invalidConfiguration, "the client's certificate is not in PEM form, or not for the client's key")
    case .clientKeyAlgorithm:
      self.init(
        .invalidConfiguration, "the client's key is not one for \(TerminalText.clean(error.place, limit: 64))",
        hint: "leave out \("--client-key-algorithm"), which then is the one that the key is for")
    case .missingClientKey:
      self.init(
        .invalidConfiguration, "the client authentication of this account needs a private key",
        hint: "name its file with \("--client-key-file")")
    case .missingClientCertificate:
      self.init(
        .invalidConfiguration, "the client authentication of this account needs a certificate",
        hint: "name both files with \("--client-certificate-file") and \("--client-key-file")")
    case .passphrase:
      self.init(
        .invalidConfiguration,
        "a passphrase or PIN has 1 to \(VaultSecret.maximumBytes) bytes of UTF-8")
    case .pin:
      self.init(.invalidConfiguration, "a pin is not of the form sha256//BASE64=")
    }
  }
}

extension ConfigurationError {
  /// The text after the file, line and column of the error, as compilers write it.
  fileprivate func located(_ text: Phrase) -> Phrase {
    guard let line else { return text }
    return Phrase("\(TerminalText.clean(line.file)):\(line.line):\(line.column): \(text)")
  }

  /// The problem, and the expected value.
  fileprivate var problem: Phrase {
    if let syntax = line?.syntax { return Self.text(syntax) }
    if place == Settings.wholeFile { return Phrase("the settings file is not valid") }
    let name = TerminalText.clean(place)
    guard let expected = expected.map({ Phrase($0) }) ?? expectation else {
      return Phrase("the settings file is not valid at: \(name)")
    }
    return line?.isMissing == true
      ? Phrase("\(name) is missing, which must be \(expected)") : Phrase("\(name) must be \(expected)")
  }

  /// The valid values of a setting outside the accounts, after "must be".
  private var expectation: Phrase? {
    let parts = place.split(separator: ".")
    switch (parts.first, parts.last) {
    case ("version", _): return Phrase("the number \(Settings.version)")
    case ("active", _), ("previous", _): return Phrase("the name of an account")
    case ("lock_after", _): return Phrase("a number of seconds, at most 30 days")
    case ("accounts", "issuer"): return Phrase("the URL of the issuer")
    case ("accounts", "client_id"): return Phrase("the client ID")
    case ("accounts", "endpoints"): return Phrase("an object")
    case ("accounts", _) where parts.count < 3: return Phrase("an object with accounts by their names")
    case (_, "events"): return Phrase("a list of names of events")
    case (_, "account"): return Phrase("the name of an account")
    case (_, "run"): return Phrase("a list of texts, the first one the absolute path of a program")
    case (_, "timeout"): return Phrase("a number of seconds from 1 to 300")
    case (let first?, _) where first.hasPrefix("on"): return Phrase("a list of at most \(EventCommand.most) objects")
    default: return nil
    }
  }

  private static func text(_ syntax: JSONError.Code) -> Phrase {
    switch syntax {
    case .unexpectedByte: Phrase("a value, a name in quotes, a comma or a bracket was expected here")
    case .unexpectedEnd: Phrase("the file ends here, where a value or a bracket was expected")
    case .trailingBytes: Phrase("the end of the file was expected here")
    case .duplicateMember: Phrase("another name was expected here: there is a member of this name already")
    case .invalidUTF8, .loneSurrogate: Phrase("text in UTF-8 was expected here")
    case .invalidEscape: Phrase("an escape of JSON was expected after this backslash")
    case .invalidNumber, .numberTooLong: Phrase("a number as JSON writes it was expected here")
    case .tooDeep, .tooManyMembers, .tooManyElements, .stringTooLong, .tooLarge:
      Phrase("less was expected here: the settings file is too large")
    }
  }
}

extension AccountName {
  /// The account name in a request.
  init(requested text: String) throws(Failure) {
    do { try self.init(text) } catch {
      throw Failure(
        .invalidRequest,
        "an account name is 1 to 64 letters, digits, dots, dashes or underscores, and begins with no dot and no dash")
    }
  }
}

extension ConfigurationError.KeyProblem {
  fileprivate var text: Phrase {
    switch self {
    case .malformed: Phrase("the client's key is neither a private key in PEM form nor a JSON Web Key")
    case .encrypted:
      Phrase("the client's key is protected by a passphrase; decrypt it first, for example with openssl pkey")
    case .unsupported: Phrase("the client's key is of a kind that is not supported, or not for signatures")
    case .weak: Phrase("the client's key is too weak: RSA keys need 2048 bits at least")
    case .heldWithAuthorization:
      Phrase("the client's key is in the TPM and has an authorization of its own; make one without it")
    case .heldUnsuitably:
      Phrase(
        "the client's key is in the TPM and cannot be used there; make one on P-256 without a policy, as agent-login(1) shows"
      )
    }
  }
}
