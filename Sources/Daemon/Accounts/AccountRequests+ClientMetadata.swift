internal import Encoding
internal import OAuth
internal import Sessions
internal import Vault
internal import Vocabulary
internal import Wire

extension AccountRequests {
  /// Answers with the document to publish for a client that is a URL. Nothing is stored, and nothing is sent.
  ///
  /// - Parameters:
  ///   - asked: The account; nil means that of the settings alone, if they name a client, and else the active one.
  ///   - given: The settings that count in place of the account's.
  ///   - sources: The client's key; without it that of the account is used.
  func clientMetadata(
    _ asked: String?, _ given: AccountSettings, _ sources: SecretSources, _ ticket: Ticket
  ) throws(Failure) {
    let account = asked == nil && given.clientID != nil ? nil : try broker.resolve(asked)
    var configuration = account?.configuration ?? AccountConfiguration(issuer: "", clientID: "")
    try configuration.change(to: given)
    let (name, cancellation) = (account?.name, context.cancellation(of: ticket))
    jobs.wait(as: WaitShare(ticket), cancellation) {
      [services, configuration] () throws(SessionError) -> JSONObject in
      var configuration = configuration
      var credentials = try sources.read(
        for: &configuration, given, proxyCredentials: nil, in: services.vault.keyDevice, cancellation
      ).credentials
      if let name, credentials.isEmpty { credentials = try services.credentials(of: name, configuration) }
      return try ClientRegistrationRequest(
        publishing: configuration, credentials, name: "agent", in: services.vault.keyDevice
      ).json
    } then: { [self] outcome in
      switch outcome {
      case .success(let document): loop.send(.result(document), to: ticket)
      case .failure(let error): loop.send(.failure(Failure(error, account: name?.text)), to: ticket)
      }
    }
  }
}
