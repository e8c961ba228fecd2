internal import Encoding
internal import OAuth
internal import Sessions
internal import Vault
internal import Wire

extension AccountRequests {
  /// Responds with a client's metadata document. `given` and `sources` override the account's settings and key. Without
  /// `requested`, uses the client in `given`, or else the active account's.
  func clientMetadata(
    _ requested: String?, _ given: AccountSettings, _ sources: SecretSources, _ ticket: Ticket
  ) throws(Failure) {
    let account = requested == nil && given.clientID != nil ? nil : try broker.resolve(requested)
    var configuration = account?.configuration ?? AccountConfiguration(issuer: "", clientID: "")
    try configuration.change(to: given)
    let (name, cancellation) = (account?.name, context.cancellation(of: ticket))
    jobs.runWaiting(as: WaitShare(ticket), cancellation) {
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
      send(outcome, name, ticket) { $0 }
    }
  }
}
