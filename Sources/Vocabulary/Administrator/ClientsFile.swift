internal import Encoding
internal import Platform

/// Client IDs for services: `clients.json` next to the user's settings file and in `/etc/agent`.
///
/// One member per provider or issuer: `{"github": {"client_id": "…"}}`. Contains no endpoints, so that it cannot
/// redirect codes or tokens.
package struct ClientsFile: Sendable {
  package typealias Problem = FileObject.Problem

  package static let name = "clients.json"

  package struct Client: Sendable {
    package let path: String
    package let clientID: String
    package var scope: [String] = []
    package var redirectURI: String?
    /// Only for a provider with ``Provider/Quirk/publicSecret``.
    package var publicSecret: String?

    package init(path: String, clientID: String) { (self.path, self.clientID) = (path, clientID) }

    /// Reads the member `name`.
    fileprivate init(_ name: String, in file: FileObject, _ provider: Provider?) throws(FileObject.Problem) {
      guard let object = try file.object(name), let id = try object.text(ClientsFile.Member.clientID.rawValue) else {
        throw try (file.object(name) ?? file).problem(
          Phrase("expected the member \(ClientsFile.Member.clientID.rawValue)"))
      }
      self.init(path: file.path, clientID: id)
      for member in try object.members(ClientsFile.Member.self) {
        let name = member.rawValue
        switch member {
        case .clientID: break
        case .scope: scope = try object.texts(name)
        case .redirectURI:
          redirectURI = try object.text(name)
          guard let uri = redirectURI.flatMap({ try? URI($0) }), uri.isHTTPLoopback, uri.query == nil,
            uri.fragment == nil
          else {
            throw object.wrongValue(name, Phrase("an http URL at a loopback address"))
          }
        case .clientSecret:
          publicSecret = try object.text(name)
          guard provider?.has(.publicSecret) == true else {
            throw object.problem(
              Phrase("the client secret of this service is confidential, and must not be in this file"), of: name)
          }
        }
      }
    }
  }

  fileprivate enum Member: String, CaseIterable {
    case clientID = "client_id"
    case scope
    case redirectURI = "redirect_uri"
    case clientSecret = "client_secret"
  }

  /// By provider or issuer.
  private var clients: [String: Result<Client, Problem>] = [:]

  init() {}

  /// Reads `object`, whose members are named after `providers` or issuers.
  init(_ object: FileObject, _ providers: [Provider]) {
    for name in object.names {
      let provider = providers.first { $0.name.rawValue.hasSameBytes(as: name) || !$0.isVariant && $0.isIssuer(name) }
      clients[name] = Result { () throws(Problem) in try Client(name, in: object, provider) }
    }
  }

  /// Reads the user's file; empty if missing. Blocking. Throws if not an object or writable by others.
  package static func readUserFile(in settingsDirectory: String) throws(Problem) -> ClientsFile {
    let path = "\(settingsDirectory)/\(name)"
    let bytes: [UInt8]
    do throws(DirectoryError) {
      let directory = try PrivateDirectory(changedByUserAlone: settingsDirectory, create: false)
      bytes = try directory.withTarget(of: name) { (directory, name) throws(SystemError) in
        try directory.readFile(changedByUserAlone: name, limit: FileObject.maximumBytes)
      }
    } catch {
      if case .system(let cause, _) = error, cause.isNotFound { return ClientsFile() }
      throw Problem(path: path, cause: .unreadable(error))
    }
    return ClientsFile(try FileObject(path, bytes), Provider.all)
  }

  fileprivate var problems: [Problem] {
    clients.sorted { $0.key < $1.key }.compactMap { if case .failure(let problem) = $0.value { problem } else { nil } }
  }

  /// The client for the first known name. Throws if it is invalid.
  package func client(_ names: [String]) throws(Problem) -> Client? {
    try names.lazy.compactMap { clients[$0] }.first?.get()
  }
}

extension Result<ClientsFile, ClientsFile.Problem> {
  package var problems: [Failure] {
    switch self {
    case .success(let file): file.problems
    case .failure(let problem): [problem]
    }
  }
}
