internal import Platform
internal import Wire

/// A passphrase or a PIN of the vault, as a command line gives it: in a file, on a descriptor that the caller
/// opened, or typed on the terminal.
///
/// The daemon reads it from an open file, so that what is in a file never is in this process's memory.
struct LevelSecret {
  /// What it is called.
  private let title: String
  private let file: OptionName
  private let descriptor: OptionName
  /// It takes effect now, so what is typed is asked for twice.
  private let isNew: Bool

  static let passphrase = LevelSecret(
    title: "passphrase", file: .passphraseFile, descriptor: .passphraseFD, isNew: false)
  static let pin = LevelSecret(title: "PIN", file: .pinFile, descriptor: .pinFD, isNew: false)

  /// What opens a level.
  static func current(_ level: ProtectionLevel) -> LevelSecret { level == .tpm2 ? pin : passphrase }

  /// What is to open a level that nothing opens yet.
  static func first(_ level: ProtectionLevel) -> LevelSecret {
    let current = current(level)
    return LevelSecret(title: current.title, file: current.file, descriptor: current.descriptor, isNew: true)
  }

  /// What is to take the place of what opens a level.
  static func next(_ level: ProtectionLevel) -> LevelSecret {
    level == .tpm2
      ? LevelSecret(title: "PIN", file: .newPINFile, descriptor: .newPINFD, isNew: true)
      : LevelSecret(title: "passphrase", file: .newPassphraseFile, descriptor: .newPassphraseFD, isNew: true)
  }

  /// Whether the command line says where it is.
  func isNamed(_ invocation: Invocation) -> Bool { invocation.has(file) || invocation.has(descriptor) }

  /// An open file that holds it.
  ///
  /// - Parameter purpose: What the person who types it is told it is for; nothing when that is plain.
  /// - Throws: `invalid_request` when two ways are named, or none and nothing may or can be typed; or when standard
  ///   input is to hold another secret too.
  func open(_ invocation: Invocation, for purpose: String = "") throws(Failure) -> SharedDescriptor {
    if invocation.has(file), invocation.has(descriptor) {
      throw Failure(.invalidRequest, "give one of --\(file.rawValue) and --\(descriptor.rawValue)")
    }
    try SharedInput.refuse(invocation)
    if let path = invocation.text(file) {
      return SharedDescriptor(try LoginOptions.openSecret(path, called: title, option: file))
    }
    if let number = invocation.text(descriptor) {
      return SharedDescriptor(try LoginOptions.inherited(number, called: title, descriptor, file))
    }
    guard !invocation.has(.noInput) else {
      throw Failure(
        .invalidRequest, "the \(title) is not named, and --no-input forbids to ask for it",
        hint: "--\(file.rawValue) FILE or --\(descriptor.rawValue) NUMBER")
    }
    return SharedDescriptor(try typed(purpose))
  }

  // MARK: Typing

  private func typed(_ purpose: String) throws(Failure) -> FileDescriptor {
    guard isNew else {
      let question = title.prefix(1).uppercased() + title.dropFirst() + purpose
      return try SecretPrompt.ask(Phrase(verbatim: question), hint: hint) { (secret) throws(Failure) in try pipe(secret)
      }
    }
    return try SecretPrompt.ask(Phrase("New \(title)\(purpose)"), hint: hint) { (first) throws(Failure) in
      let isSame = try SecretPrompt.ask(Phrase("The same again"), hint: hint) { (second) in
        first.hasSameBytes(as: second)
      }
      guard isSame else { throw Failure(.invalidRequest, "the two were not the same") }
      return try pipe(first)
    }
  }

  private var hint: Phrase { "name a file: --\(file.rawValue)" }

  private func pipe(_ secret: Span<UInt8>) throws(Failure) -> FileDescriptor {
    try HandedFiles.pipe(holding: secret, called: title)
  }
}
