internal import OAuth

extension ClientsFile {
  /// The account's client, from the user's file, the administrator's file, or the provider. Throws `configuration` if a
  /// file is invalid, or others can modify the user's file.
  package static func client(
    for configuration: AccountConfiguration, in settingsDirectory: String,
    _ files: AdministratorFiles = .current
  ) throws(SessionError) -> Client? {
    let provider = configuration.providerSettings
    let names = [configuration.issuer] + [provider?.name.rawValue].compactMap(\.self)
    do throws(Problem) {
      if let client = try readUserFile(in: settingsDirectory).client(names) { return client }
      if let client = try files.clients.get().client(names) { return client }
    } catch {
      throw .configuration(ConfigurationError(.clientsFile(error), error.path))
    }
    return provider?.clientID.map { Client(path: AdministratorFiles.providerDirectory(), clientID: $0) }
  }

  /// Adds the client to settings without one, and returns it.
  package static func complete(
    _ configuration: inout AccountConfiguration, in settingsDirectory: String
  ) throws(SessionError) -> Client? {
    guard configuration.clientID.isEmpty, let client = try client(for: configuration, in: settingsDirectory) else {
      return nil
    }
    configuration.clientID = client.clientID
    if configuration.scope.isEmpty { configuration.scope = client.scope }
    if configuration.redirectURI == nil { configuration.redirectURI = client.redirectURI }
    return client
  }
}
