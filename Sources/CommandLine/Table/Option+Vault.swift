internal import Wire

extension Option {
  /// The level of protection of an account, and what opens it.
  static var protection: [Option] {
    [
      Option(
        name: .protect, value: .choice("LEVEL", ProtectionLevel.allCases.map(\.rawValue)),
        summary: "How the session in the vault opens: by this device, by a passphrase, or by the TPM with a PIN")
    ] + levelSecrets
  }

  /// What opens a level. None of it is ever an argument.
  static var levelSecrets: [Option] { passphrase + pin }

  static var passphrase: [Option] {
    [
      Option(
        name: .passphraseFile, value: .file("FILE"),
        summary: "Read the passphrase from this file, or from standard input when it is `-`"),
      Option(
        name: .passphraseFD, value: .text("NUMBER"), summary: "Read the passphrase from this open descriptor"),
    ]
  }

  static var pin: [Option] {
    [
      Option(
        name: .pinFile, value: .file("FILE"),
        summary: "Read the PIN from this file, or from standard input when it is `-`"),
      Option(name: .pinFD, value: .text("NUMBER"), summary: "Read the PIN from this open descriptor"),
    ]
  }

  static var newSecrets: [Option] {
    [
      Option(
        name: .newPassphraseFile, value: .file("FILE"),
        summary: "Read the new passphrase from this file, or from standard input when it is `-`"),
      Option(
        name: .newPassphraseFD, value: .text("NUMBER"), summary: "Read the new passphrase from this open descriptor"),
      Option(
        name: .newPINFile, value: .file("FILE"),
        summary: "Read the new PIN from this file, or from standard input when it is `-`"),
      Option(name: .newPINFD, value: .text("NUMBER"), summary: "Read the new PIN from this open descriptor"),
    ]
  }

  /// The level that a command of the vault is about.
  static func level(_ summary: String) -> Option {
    Option(
      name: .protection, value: .choice("LEVEL", ProtectionLevel.allCases.map(\.rawValue)), summary: summary)
  }
}
