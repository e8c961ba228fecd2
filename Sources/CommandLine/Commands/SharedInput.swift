internal import Wire

/// Standard input as the place of a secret: whoever reads it first leaves nothing for others.
enum SharedInput {
  /// The options that name a file with a secret, which may be `-`.
  private static let files: [OptionName] = [
    .clientSecretFile, .clientKeyFile, .clientCertificateFile, .initialAccessTokenFile, .refreshTokenFile,
    .passphraseFile, .pinFile, .newPassphraseFile, .newPINFile,
  ]

  /// Those that name an open descriptor, which may be 0.
  private static let descriptors: [OptionName] = [.refreshTokenFD, .passphraseFD, .pinFD, .newPassphraseFD, .newPINFD]

  /// Refuses two secrets in standard input. To be called before anything is read of it.
  ///
  /// - Throws: `invalid_request` that names the options.
  static func refuse(_ invocation: Invocation) throws(Failure) {
    let named =
      files.filter { invocation.text($0)?.utf8.elementsEqual("-".utf8) ?? false }
      + descriptors.filter { invocation.text($0).flatMap { Int32($0) } == 0 }
    guard named.count > 1 else { return }
    throw Failure(
      .invalidRequest,
      "standard input cannot hold what \(named.map { "--\($0.rawValue)" }.joined(separator: " and ")) name")
  }
}
