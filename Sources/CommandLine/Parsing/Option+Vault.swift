internal import Wire

extension Options {
  static var levelSecrets: [OptionDeclaration] { passphrase + [Option.pinFile.declaration, Option.pinFD.declaration] }
  static var passphrase: [OptionDeclaration] { [Option.passphraseFile.declaration, Option.passphraseFD.declaration] }
}

extension Option<String?> {
  static func file(_ name: String, in group: OptionGroup, with secret: String) -> Self {
    Self(name, in: group, .secretFile, "Read \(secret) from this file; `-` is standard input")
  }

  static func descriptor(_ name: String, in group: OptionGroup, with secret: String) -> Self {
    Self(name, in: group, .descriptor, "Read \(secret) from this descriptor; the caller opens it")
  }
}

extension Option<Protection?> {
  static var protection: Self { Self("protection", in: .protection, "LEVEL", Protection.self, "The level") }
}

extension Option<String?> {
  static var passphraseFile: Self { file("passphrase-file", in: .protection, with: "the passphrase") }
  static var passphraseFD: Self { descriptor("passphrase-fd", in: .protection, with: "the passphrase") }
  static var pinFile: Self { file("pin-file", in: .protection, with: "the PIN") }
  static var pinFD: Self { descriptor("pin-fd", in: .protection, with: "the PIN") }
  static var newPassphraseFile: Self { file("new-passphrase-file", in: .protection, with: "the new passphrase") }
  static var newPassphraseFD: Self { descriptor("new-passphrase-fd", in: .protection, with: "the new passphrase") }
  static var newPINFile: Self { file("new-pin-file", in: .protection, with: "the new PIN") }
  static var newPINFD: Self { descriptor("new-pin-fd", in: .protection, with: "the new PIN") }
}

extension Option<VaultBinding?> {
  static var vaultBinding: Self {
    Self("to", in: .protection, "BINDING", VaultBinding.self, "Bind the vault to this, or fail")
  }
}

/// Durations in seconds.
extension Option<Int?> {
  static var lockAfter: Self {
    Self(
      "lock-after", in: .protection, time: .durationOrNever(1...VaultRequest.maximumLockAfterSeconds),
      "Lock after this idle time, or `never` (default: 15m)")
  }
}
