internal import Platform
internal import Wire

/// A vault passphrase or PIN: in a file, inherited or typed.
struct LevelSecret {
  private static let maximumAttempts = 3
  private static let maximumNames = 4

  private let named: NamedSecret
  private let mayAsk: Bool
  private let console: Console
  /// Limits typing; nil for no limit.
  var timeout: Duration?

  private init(_ named: NamedSecret, _ invocation: Invocation) {
    self.named = named
    mayAsk = !invocation[.noInput]
    console = Console(invocation)
  }

  static func passphrase(_ invocation: Invocation) throws(Failure) -> LevelSecret {
    LevelSecret(try NamedSecret(Phrase("passphrase"), .passphraseFile, or: .passphraseFD, invocation), invocation)
  }

  static func pin(_ invocation: Invocation) throws(Failure) -> LevelSecret {
    LevelSecret(try NamedSecret(Phrase("PIN"), .pinFile, or: .pinFD, invocation), invocation)
  }

  static func newSecret(of level: Protection, _ invocation: Invocation) throws(Failure) -> LevelSecret {
    let named =
      level == .tpm2
      ? try NamedSecret(Phrase("PIN"), .newPINFile, or: .newPINFD, invocation)
      : try NamedSecret(Phrase("passphrase"), .newPassphraseFile, or: .newPassphraseFD, invocation)
    return LevelSecret(named, invocation)
  }

  private var isPIN: Bool { named.title == Phrase("PIN") }

  /// Whose secret the prompt asks for.
  enum Purpose {
    /// The prompt says only "PIN" or "Passphrase".
    case plain
    /// Names up to `maximumNames` accounts, otherwise as `plain`.
    case ofAccounts([String])
    case ofVault
    case ofSlot(Int)
    /// The present secret, before a change.
    case current
  }

  var isNamed: Bool { named.isNamed }

  /// Opens the secret, prompting if necessary, twice for a new one.
  func open(for purpose: Purpose = .plain, isNew: Bool = false) throws(Failure) -> SharedDescriptor {
    if let file = try named.open() { return SharedDescriptor(file) }
    guard mayAsk else {
      throw Failure(
        .invalidRequest, "no \(named.title) given, and --no-input forbids asking for it",
        hint: "use a file with \("--\(named.fileOption)")")
    }
    return SharedDescriptor(try isNew ? promptTwice() : promptForSecret(purpose))
  }

  private func promptForSecret(_ purpose: Purpose) throws(Failure) -> FileDescriptor {
    let question =
      switch purpose {
      case .ofAccounts(let names) where (1...Self.maximumNames).contains(names.count):
        question(naming: names.joined(separator: ", "))
      case .plain, .ofAccounts: isPIN ? Phrase("PIN") : Phrase("Passphrase")
      case .ofVault: Phrase("Passphrase of the vault")
      case .ofSlot(let number): Phrase("Passphrase of the slot \(number)")
      case .current: isPIN ? Phrase("Current PIN") : Phrase("Current passphrase")
      }
    return try SecretPrompt.ask(question, hint: hint, within: timeout, pipe)
  }

  private func question(naming accounts: String) -> Phrase {
    isPIN ? Phrase("PIN for \(accounts)") : Phrase("Passphrase for \(accounts)")
  }

  /// Returns a pipe once both entries match.
  private func promptTwice() throws(Failure) -> FileDescriptor {
    let again = isPIN ? Phrase("Repeat PIN") : Phrase("Repeat passphrase")
    let mismatch = isPIN ? Phrase("the PINs do not match") : Phrase("the passphrases do not match")
    for attempt in 1...Self.maximumAttempts {
      let typed = try SecretPrompt.ask(Phrase("New \(named.title)"), hint: hint) {
        (first) throws(Failure) -> FileDescriptor? in
        let isSame = try SecretPrompt.ask(again, hint: hint) { (second) in first.hasSameBytes(as: second) }
        return isSame ? try pipe(first) : nil
      }
      if let typed { return typed }
      if attempt < Self.maximumAttempts { console.note(Phrase("\(mismatch), try again")) }
    }
    throw Failure(.invalidRequest, mismatch)
  }

  private var hint: Phrase { "use a file: --\(named.fileOption)" }

  private func pipe(_ secret: Span<UInt8>) throws(Failure) -> FileDescriptor {
    try FileDescriptor.pipe(containing: secret, named: named.title)
  }
}
