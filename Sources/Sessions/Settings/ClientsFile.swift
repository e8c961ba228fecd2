internal import Encoding
internal import OAuth
internal import Platform
internal import Vocabulary

/// Client IDs provided by an administrator, a distributor or the user: `clients.json` next to the settings file and in
/// `/etc/agent`, and those in the provider's file, in this order.
///
/// An object with a member for each provider or issuer: `{"github": {"client_id": "…"}}`. Without endpoints; with a
/// secret only for a provider with ``Provider/Quirk/publicSecret``.
package struct ClientsFile: Sendable {
  package static let name = "clients.json"
  package static let systemPath = "\(AdministratorFiles.directory)/\(name)"
  private static let maxBytes = 1 << 18

  package struct Client: Sendable, Hashable {
    /// The file that contains the client.
    package let path: String
    package let clientID: String
    package var scope: [String] = []
    package var redirectURI: String?
    package var publicSecret: String?
  }

  private let path: String
  private let clients: JSONObject

  /// The client for the account's issuer or provider, or nil if no file contains one.
  ///
  /// - Throws: `configuration` if a file is invalid or other users can modify it.
  package static func client(
    for configuration: AccountConfiguration, in settingsDirectory: String, systemPath: String = ClientsFile.systemPath
  ) throws(SessionError) -> Client? {
    do throws(ConfigurationError) {
      if let client = try own(in: settingsDirectory)?.client(for: configuration) { return client }
      if let client = try system(systemPath)?.client(for: configuration) { return client }
    } catch {
      throw .configuration(error)
    }
    return configuration.providerSettings?.clientID.map {
      Client(path: AdministratorFiles.providerDirectory(), clientID: $0)
    }
  }

  /// Copies the client from a file to the settings, without overriding them.
  ///
  /// - Returns: The client, or nil if the account specifies one or no file does.
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

  /// The user's file, if it exists.
  private static func own(in directory: String) throws(ConfigurationError) -> ClientsFile? {
    let path = "\(directory)/\(name)"
    let found: [UInt8]
    do throws(DirectoryError) {
      let place = try PrivateDirectory(changedByUserAlone: directory, create: false)
      let bytes = try place.withTarget(of: name) { (place, name) throws(SystemError) in
        try place.readFile(changedByUserAlone: name, limit: maxBytes)
      }
      found = bytes
    } catch {
      if case .system(let cause, _) = error, cause.isNotFound { return nil }
      throw ConfigurationError(.directory(error), path)
    }
    return try ClientsFile(path, found)
  }

  /// The administrator's file, if it exists.
  private static func system(_ path: String) throws(ConfigurationError) -> ClientsFile? {
    let bytes: [UInt8]?
    do { bytes = try PrivateDirectory.readFile(at: path, changedOnlyBy: 0, limit: maxBytes) } catch {
      throw ConfigurationError(.directory(error), path)
    }
    return try bytes.map { (bytes) throws(ConfigurationError) in try ClientsFile(path, bytes) }
  }

  private init(_ path: String, _ bytes: [UInt8]) throws(ConfigurationError) {
    guard let clients = (try? JSON(parsing: bytes))?.object else { throw ConfigurationError(.clientsFile, path) }
    self.path = path
    self.clients = clients
  }

  private func client(for configuration: AccountConfiguration) throws(ConfigurationError) -> Client? {
    let provider = configuration.providerSettings
    let names = [configuration.issuer] + (provider.map { [$0.name.rawValue] } ?? [])
    for name in names {
      if let value = clients[name] { return try client(value, name, provider) }
    }
    return nil
  }

  private func client(_ value: JSON, _ name: String, _ provider: Provider?) throws(ConfigurationError) -> Client {
    func invalid(_ member: String) -> ConfigurationError {
      ConfigurationError(.clientsFile, "\(path) (\(name)\(member.isEmpty ? "" : ".")\(member))")
    }
    guard let object = value.object else { throw invalid("") }
    guard let id = object["client_id"]?.string, !id.isEmpty else { throw invalid("client_id") }
    var client = Client(path: path, clientID: id)
    for member in object.names {
      switch member {
      case "client_id": break
      case "scope":
        let values = object[member]?.string.map { $0.split(separator: " ").map(String.init) }
        guard let values = values ?? object[member]?.array?.map({ $0.string ?? "" }), !values.contains("") else {
          throw invalid(member)
        }
        client.scope = values
      case "redirect_uri":
        guard let text = object[member]?.string, let uri = try? RedirectURI(text), uri.loopbackHost != nil else {
          throw invalid(member)
        }
        client.redirectURI = text
      case "client_secret":
        guard let provider, provider.has(.publicSecret), let text = object[member]?.string else {
          throw invalid(member)
        }
        client.publicSecret = text
      default: throw invalid(member)
      }
    }
    return client
  }
}
