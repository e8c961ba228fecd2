internal import CProviders
internal import Encoding

extension Provider {
  package static let builtIn: [Provider] = {
    let text = unsafe [UInt8](UnsafeBufferPointer(start: agent_providers(), count: Int(agent_providers_size())))
    do throws(FileObject.Problem) {
      let file = try FileObject("share/providers.json", text)
      return try file.names.map { (name) throws(FileObject.Problem) in try Provider(name, in: file) }
    } catch {
      preconditionFailure(error.text.english)
    }
  }()

  private enum Member: String, CaseIterable {
    /// Ignored; for readers of the file.
    case comment
    case title, aliases, like, issuer
    case issuerExample = "issuer_example"
    case issuerTemplates = "issuer_templates"
    case ownServers = "own_servers"
    case hosts
    case issuerPath = "issuer_path"
    case endpoints
    case clientID = "client_id"
    case scope
    case authorizationParameters = "authorization_parameters"
    case codeParameters = "code_parameters"
    case redirectURI = "redirect_uri"
    case registration
    case authMethod = "token_endpoint_auth_method"
    case sessionsPage = "sessions_page"
    case quirks
    case errorNames = "error_names"
    case deadRefreshTokens = "dead_refresh_tokens"
    case limits, obstacle
    case obstacleOfDevice = "device_obstacle"
    case advice
  }

  private enum RegistrationMember: String, CaseIterable { case page, kind, option }

  private enum AdviceMember: String, CaseIterable {
    case error, text
    case namesPage = "names_page"
    case needsSecret = "needs_secret"
    case forbidsDevice = "forbids_device"
  }

  /// Reads an administrator's provider. Throws if a built-in one has this name.
  init(_ object: FileObject, _ name: String) throws(FileObject.Problem) {
    guard let known = ProviderName(rawValue: name) else {
      throw object.problem(Phrase("the file's name must consist of lowercase letters, digits and dashes"))
    }
    guard !Self.builtIn.contains(where: { $0.name == known }) else {
      throw object.problem(Phrase("the provider \(name) is built in; give the file another name"))
    }
    let model = try object.text(Member.like.rawValue)
    let other = model.flatMap { model in Self.builtIn.first { $0.name.rawValue.hasSameBytes(as: model) } }
    guard (model == nil) == (other == nil) else {
      throw object.wrongValue(Member.like.rawValue, Phrase("the name of a built-in provider"))
    }
    try self.init(object, known, like: other)
  }

  /// Reads a built-in provider.
  private init(_ name: String, in file: FileObject) throws(FileObject.Problem) {
    guard let object = try file.object(name), let known = ProviderName(rawValue: name) else {
      throw file.wrongValue(name, Phrase("an object"))
    }
    let model = try object.text(Member.like.rawValue)
    try self.init(
      object, known,
      like: model.map { (model) throws(FileObject.Problem) in
        try Provider(model, in: file)
      })
  }

  /// Inherits members from `other`.
  private init(_ object: FileObject, _ name: ProviderName, like other: Provider?) throws(FileObject.Problem) {
    self = other ?? Provider(name, name.rawValue)
    self.name = name
    let members = try object.members(Member.self)
    let hasServer = members.contains { [.issuer, .issuerExample, .issuerTemplates].contains($0) }
    isVariant = other != nil && !hasServer
    if hasServer { (issuer, issuerExample, issuerTemplates) = (nil, nil, []) }
    if !members.contains(.aliases) { aliases = [] }
    for member in members { try read(member, object) }
    guard issuer != nil || issuerExample != nil || obstacle != nil else {
      throw object.problem(Phrase("expected the member \("issuer") or \("issuer_example")"))
    }
  }

  private mutating func read(_ member: Member, _ object: FileObject) throws(FileObject.Problem) {
    let name = member.rawValue
    switch member {
    case .comment: _ = try object.text(name)
    case .title: title = try object.text(name) ?? title
    case .aliases: aliases = try object.texts(name)
    case .like: break
    case .issuer: issuer = try Self.url(name, object)
    case .issuerExample: issuerExample = try object.text(name)
    case .issuerTemplates: issuerTemplates = try object.texts(name)
    case .ownServers: isSelfHostable = try object.flag(name)
    case .hosts: hosts = try object.texts(name)
    case .issuerPath:
      issuerPath = try object.text(name) ?? ""
      guard issuerPath.utf8.first == UInt8(ascii: "/") else { throw object.wrongValue(name, Phrase("a path")) }
    case .endpoints:
      for (key, text) in try object.stringTable(name) {
        guard let role = EndpointRole(rawValue: key), let endpoints = try object.object(name) else {
          throw object.unknownMember(key, among: EndpointRole.allCases.map(\.rawValue))
        }
        paths[role] = text.utf8.first == UInt8(ascii: "/") ? text : try Self.url(key, endpoints)
      }
    case .clientID: clientID = try object.text(name)
    case .scope: scope = try object.texts(name)
    case .authorizationParameters:
      authorizationParameters = try object.stringTable(name).map { Parameter(name: $0, value: $1) }
    case .codeParameters: codeParameters = try object.stringTable(name).map { Parameter(name: $0, value: $1) }
    case .redirectURI: redirectURI = try Self.url(name, object)
    case .registration:
      guard let entry = try object.object(name) else { return }
      _ = try entry.members(RegistrationMember.self)
      registration = Registration(
        page: try Self.requiredString("page", entry), kind: try Self.requiredString("kind", entry),
        option: try entry.text("option"))
    case .authMethod:
      let methods = ClientAuthenticationMethod.allCases.map(\.rawValue)
      guard let method = try object.text(name).flatMap({ ClientAuthenticationMethod(rawValue: $0) }) else {
        throw object.wrongValue(name, Phrase(.choice(methods)))
      }
      tokenEndpointAuthMethod = method
    case .sessionsPage: sessionsPage = try object.text(name)
    case .quirks:
      for (key, source) in try object.stringTable(name) {
        guard let quirk = Quirk(rawValue: key) else {
          throw try (object.object(name) ?? object).unknownMember(key, among: Quirk.allCases.map(\.rawValue))
        }
        quirks[quirk] = source
      }
    case .errorNames:
      errorNames = Dictionary(try object.stringTable(name).map { ($0.lowercased(), $1) }) { first, _ in first }
    case .deadRefreshTokens: invalidRefreshTokenErrors = try object.texts(name)
    case .limits: limits += try object.texts(name)
    case .obstacle: obstacle = try object.text(name)
    case .obstacleOfDevice: deviceObstacle = try object.text(name)
    case .advice:
      for entry in try object.objects(name) {
        _ = try entry.members(AdviceMember.self)
        advice.append(
          Advice(
            error: try Self.requiredString("error", entry), text: try Self.requiredString("text", entry),
            namesPage: try entry.flag(AdviceMember.namesPage.rawValue),
            needsSecret: try entry.flag(AdviceMember.needsSecret.rawValue),
            forbidsDevice: try entry.flag(AdviceMember.forbidsDevice.rawValue)))
      }
    }
  }

  private static func requiredString(_ name: String, _ object: FileObject) throws(FileObject.Problem) -> String {
    guard let text = try object.text(name) else { throw object.problem(Phrase("expected the member \(name)")) }
    return text
  }

  /// An https URL, or http at a loopback address, without query and fragment.
  private static func url(_ name: String, _ object: FileObject) throws(FileObject.Problem) -> String? {
    let text = try object.text(name)
    guard let text, let uri = try? URI(text), uri.isHTTPS || uri.isHTTPLoopback, uri.query == nil, uri.fragment == nil
    else { throw object.wrongValue(name, Phrase("an https URL without a query")) }
    return text
  }
}
