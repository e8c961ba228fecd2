internal import OAuth
internal import Platform
internal import Sessions
internal import Vault
internal import Wire

extension AccountRequests {
  /// Adds an account with a session from a refresh token, the first descriptor of `sources`. Error hints repeat
  /// `enteredOptions`.
  func importToken(
    _ account: AccountName, _ given: AccountSettings, _ sources: SecretSources, enteredOptions: [String],
    _ ticket: Ticket
  ) throws(Failure) {
    try requireNew(account)
    guard given.clientID != nil else { throw AccountConfiguration.missingClientID }
    var configuration = try AccountConfiguration(given)
    let proxyCredentials = try configuration.replaceProxy(from: given)
    guard let tokenSource = sources.leading else {
      throw Failure(.invalidRequest, "the request must pass a descriptor for the refresh token")
    }
    let cancellation = context.cancellation(of: ticket)
    context.runSettingsChange(as: .changes(account), cancellation) {
      [services = services(for: account), configuration] () throws(SessionError) in
      var configuration = configuration
      let token = try ClientSecret.read(tokenSource, as: .refreshToken, cancellation)
      let secrets = try sources.read(
        for: &configuration, given, proxyCredentials: proxyCredentials, in: services.vault.keyDevice, cancellation)
      return try SignIn.Request(
        account: account, configuration: configuration, isNew: true, services: services, cancellation: cancellation
      ).importToken(token, secrets)
    } then: { [self] outcome in
      handleImportResult(account, outcome.mapError { Self.failure($0, account, enteredOptions) }, ticket)
    }
  }

  private static func failure(_ error: SessionError, _ account: AccountName, _ enteredOptions: [String]) -> Failure {
    var failure = Failure(error, account: account.text, enteredOptions: enteredOptions)
    // The server did not end a session of this program.
    if case .oauth(let refusal) = error, refusal.code == .invalidGrant {
      let description = refusal.serverDescription ?? ""
      let sentence = Phrase("the server does not accept this refresh token")
      failure.text = "\(sentence) (\(refusal.serverError ?? "invalid_grant"))"
      if !description.isEmpty { failure.text = "\(failure.text): \(description)" }
    }
    return failure
  }

  private func handleImportResult(
    _ name: AccountName, _ outcome: Result<(grant: AccessGrant, configuration: AccountConfiguration), Failure>,
    _ ticket: Ticket
  ) {
    switch outcome {
    case .failure(let error): loop.send(.failure(error), to: ticket)
    case .success(let outcome):
      log.note(.settingsChanged(.imported), name)
      let account = broker.addOrUpdate(name, outcome.configuration)
      account.ownSlot.session.applySignIn(outcome.grant, wallSeconds: services.time.wallSeconds(), jitter: jitter())
      broker.keepIfUnlocked(outcome.grant, of: account)
      announceSettings()
      broker.publish(of: name) { $0.recordSignIn(outcome.grant) }
      broker.restartForWaiters(account)
      broker.schedule(account.ownSlot)
      loop.send(.result(account.ownSlot.signInResult(outcome.grant)), to: ticket)
    }
  }
}
