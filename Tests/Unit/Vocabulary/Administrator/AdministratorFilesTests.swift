import Encoding
import Platform
import TestSupport
import Testing
import Vocabulary

@Suite struct `A file of the administrator` {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func write(_ name: String, _ text: String, mode: UInt32 = 0o644) throws {
    let place = name.split(separator: "/")
    try directory.open(String(place[0])).replaceFile(String(place[1]), with: Array(text.utf8).span, mode: mode)
  }

  private func read(checking isProgram: (String) -> Bool = { _ in true }) -> AdministratorFiles {
    AdministratorFiles(in: directory.path, owner: Machine.userID, checking: isProgram)
  }

  private func problems() -> [String] { read().problems.map(\.text.english) }

  private static let corp =
    #"{"issuer":"https://id.example","client_id":"cli","scope":["openid"],"origins":["git.example"],"dpop":true,"#
    + #""protect":"passphrase","setup":["git --host git.example"]}"#

  @Test func `prepares an account with settings and programs`() throws {
    #expect(read().presets.isEmpty && read().problems.isEmpty)
    try write("accounts.d/corp.json", Self.corp)
    try write("accounts.d/gitlab-corp.json", #"{"provider":"gitlab"}"#)
    try write("accounts.d/README", "not one of them")
    let presets = read().presets
    #expect(presets.map(\.name) == ["corp", "gitlab-corp"])
    #expect(presets.map(\.service) == ["https://id.example", "gitlab"])
    #expect(presets[0].settings.protection == .passphrase && presets[0].setupCommands == ["git --host git.example"])
  }

  @Test(arguments: Provider.builtIn) func `can define every property of a built-in provider`(_ known: Provider) throws {
    let name = "\(known.name.rawValue)-copy"
    try write("providers.d/\(name).json", String(decoding: JSON.object(Self.json(known)).serialized(), as: UTF8.self))
    #expect(problems().isEmpty)
    var copy = try #require(read().providers.first)
    copy.isVariant = known.isVariant
    #expect(Self.json(copy) == Self.json(known) && copy.title == known.title && copy.name.rawValue == name)
    #expect(copy.quirks == known.quirks && copy.advice == known.advice && copy.paths == known.paths)
  }

  @Test func `defines a provider like a built-in one, at another server or with another scope`() throws {
    let other = Provider.named(.gitlab)
    try write(
      "providers.d/git.json", #"{"title":"Git","like":"gitlab","issuer":"https://git.example","limits":["slow"]}"#)
    try write("providers.d/git-api.json", #"{"like":"gitlab","scope":["api"]}"#)
    #expect(problems().isEmpty)
    let (scoped, moved) = (read().providers[0], read().providers[1])
    #expect(moved.issuer == "https://git.example" && !moved.isVariant && moved.paths == other.paths)
    #expect(moved.limits == other.limits + ["slow"] && moved.aliases.isEmpty && moved.advice == other.advice)
    #expect(scoped.issuer == other.issuer && scoped.isVariant && scoped.scope == ["api"])
    try write("providers.d/git.json", #"{"like":"git-api"}"#)
    #expect(problems() == ["\(directory.path)/providers.d/git.json:1:9: like must be the name of a built-in provider"])
  }

  private static func json(_ provider: Provider) -> JSONObject {
    func texts(_ texts: [String]) -> JSON? { texts.isEmpty ? nil : .array(texts.map(JSON.string)) }
    func table(_ entries: [(String, String)]) -> JSON? {
      entries.isEmpty ? nil : .object(JSONObject(entries.map { ($0, .string($1)) }))
    }
    var object = JSONObject([("title", .string(provider.title))])
    object["aliases"] = texts(provider.aliases)
    object["issuer"] = provider.issuer.map(JSON.string)
    object["issuer_example"] = provider.issuerExample.map(JSON.string)
    object["issuer_templates"] = texts(provider.issuerTemplates)
    object["own_servers"] = provider.isSelfHostable ? true : nil
    object["hosts"] = texts(provider.hosts)
    object["issuer_path"] = provider.issuerPath.isEmpty ? nil : .string(provider.issuerPath)
    object["endpoints"] = table(provider.paths.map { ($0.rawValue, $1) }.sorted { $0.0 < $1.0 })
    object["scope"] = texts(provider.scope)
    object["authorization_parameters"] = table(provider.authorizationParameters.map { ($0.name, $0.value) })
    object["code_parameters"] = table(provider.codeParameters.map { ($0.name, $0.value) })
    object["redirect_uri"] = provider.redirectURI.map(JSON.string)
    if let registration = provider.registration {
      var entry = JSONObject([("page", .string(registration.page)), ("kind", .string(registration.kind))])
      entry["option"] = registration.option.map(JSON.string)
      object["registration"] = .object(entry)
    }
    object["token_endpoint_auth_method"] = provider.tokenEndpointAuthMethod.map { .string($0.rawValue) }
    object["sessions_page"] = provider.sessionsPage.map(JSON.string)
    object["quirks"] = table(provider.quirks.map { ($0.rawValue, $1) }.sorted { $0.0 < $1.0 })
    object["error_names"] = table(provider.errorNames.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    object["dead_refresh_tokens"] = texts(provider.invalidRefreshTokenErrors)
    object["limits"] = texts(provider.limits)
    object["obstacle"] = provider.obstacle.map(JSON.string)
    object["device_obstacle"] = provider.deviceObstacle.map(JSON.string)
    let advice = provider.advice.map { advice in
      var entry = JSONObject([("error", .string(advice.error)), ("text", .string(advice.text))])
      if advice.namesPage { entry["names_page"] = true }
      if advice.needsSecret { entry["needs_secret"] = true }
      if advice.forbidsDevice { entry["forbids_device"] = true }
      return JSON.object(entry)
    }
    object["advice"] = advice.isEmpty ? nil : .array(advice)
    return object
  }

  @Test(arguments: [
    ("accounts.d/bad.json", "[]", "1:1: expected an object"),
    ("accounts.d/bad.json", "{\n \"scope\": [}", "2:12: expected a value, a quoted name, a comma or a bracket"),
    ("accounts.d/bad.json", #"{"client_id":"cli"}"#, "1:1: expected the member issuer or provider"),
    (
      "accounts.d/bad.json", "{\"issuer\":\"https://id.example\",\n\"client_secret\":\"s\"}",
      "2:17: unknown member client_secret"
    ),
    ("accounts.d/bad.json", #"{"isuer":"https://id.example"}"#, #"1:10: unknown member isuer; did you mean "issuer"?"#),
    (
      "accounts.d/bad.json", #"{"issuer":"https://id.example","scope":"openid"}"#,
      "1:40: scope must be a list of at most 64 texts"
    ),
    (
      "accounts.d/bad.json", #"{"issuer":"https://id.example","setup":["git","nothing"]}"#,
      "1:40: setup must be a list of arguments of agent setup"
    ),
    (
      "accounts.d/bad.json", #"{"issuer":"https://id.example","setup":"git"}"#,
      "1:40: setup must be a list of at most 64 texts"
    ),
    ("accounts.d/no name.json", corp, "1:1: the file's name is not a valid account name"),
    ("providers.d/bad.json", "{}", "1:1: expected the member issuer or issuer_example"),
    ("providers.d/bad.json", #"{"issuer":"http://id.example"}"#, "1:11: issuer must be an https URL without a query"),
    (
      "providers.d/bad.json", #"{"issuer":"https://id.example","endpoints":{"token":"token"}}"#,
      "1:53: token must be an https URL without a query"
    ),
    (
      "providers.d/bad.json", #"{"issuer":"https://id.example","quirks":{"no-metdata":"https://id.example"}}"#,
      #"1:55: unknown member no-metdata; did you mean "no-metadata"?"#
    ),
    (
      "providers.d/bad.json", #"{"issuer":"https://id.example","registration":{"page":"here"}}"#,
      "1:47: expected the member kind"
    ),
    (
      "providers.d/github.json", #"{"issuer":"https://id.example"}"#,
      "1:1: the provider github is built in; give the file another name"
    ),
    (
      "providers.d/Bad.json", #"{"issuer":"https://id.example"}"#,
      "1:1: the file's name must consist of lowercase letters, digits and dashes"
    ),
  ]) func `is named with line, column and the expected value if it is invalid, and the others can be used`(
    name: String, text: String, problem: String
  ) throws {
    try write("accounts.d/corp.json", Self.corp)
    try write("providers.d/good.json", #"{"issuer":"https://id.example"}"#)
    try write(name, text)
    let files = read { $0.hasPrefix("git") }
    #expect(files.presets.map(\.name) == ["corp"] && files.providers.map(\.name.rawValue) == ["good"])
    #expect(files.problems.map(\.text.english) == ["\(directory.path(name)):\(problem)"])
  }

  @Test func `has client IDs for services, and names the invalid ones with line and column`() throws {
    let text = """
      {
        "gitlab": {"client_id": "a", "scope": ["api"]},
        "github": "b",
        "google": {"client_id": "c", "client_secret": "GOCSPX"},
        "https://id.example": {"clientid": "d"},
        "https://other.example": {"client_id": "e", "client_secret": "s"}
      }
      """
    try directory.write("clients.json", text)
    let clients = try read().clients.get()
    #expect(try clients.client(["https://gitlab.com", "gitlab"])?.clientID == "a")
    #expect(try clients.client(["google"])?.publicSecret == "GOCSPX")
    #expect(try clients.client(["bitbucket"]) == nil)
    let path = "\(directory.path)/clients.json"
    let expected = [
      "\(path):3:13: github must be an object", "\(path):5:25: expected the member client_id",
      "\(path):6:64: the client secret of this service is confidential, and must not be in this file",
    ]
    #expect(problems() == expected)
    for (index, name) in ["github", "https://id.example", "https://other.example"].enumerated() {
      let problem = #expect(throws: AdministratorFiles.Problem.self) { try clients.client([name]) }
      #expect(problem?.text.english == expected[index])
    }
    try directory.write("clients.json", "[]")
    #expect(problems() == ["\(path):1:1: expected an object"])
    #expect(throws: AdministratorFiles.Problem.self) { try read().clients.get() }
  }

  @Test func `is only read if others cannot change it, and of limited size and number`() throws {
    try write("accounts.d/corp.json", Self.corp, mode: 0o664)
    try write("accounts.d/long.json", #"{"issuer":""# + String(repeating: "x", count: 1 << 16) + #""}"#)
    try write("providers.d/open.json", #"{"issuer":"https://id.example"}"#, mode: 0o666)
    #expect(read().presets.isEmpty && read().providers.isEmpty && problems().count == 3)
    for number in 0..<100 { try write("accounts.d/\(number)", "") }
    #expect(problems().count == 2)
    try #require(ProcessRunner.shell("chmod 775 \(directory.path("providers.d"))").succeeded)
    #expect(problems().count == 2 && !problems().contains { $0.contains("open.json") })
  }

  @Test func `shows which of its settings the user changed`() throws {
    try write("accounts.d/corp.json", Self.corp)
    let corp = try #require(read().presets.first)
    var shown = corp.settings
    shown.origins = ["https://git.example", "https://api.example"]
    shown.refresh = .strict
    #expect(corp.comparison(with: shown).changed.isEmpty)
    (shown.scope, shown.origins, shown.usesDPoP) = (["email"], [], false)
    #expect(corp.comparison(with: shown).changed.map(\.optionName) == ["scope", "dpop", "host"])
    #expect(corp.comparison(with: shown).unchanged.map(\.optionName) == ["issuer", "client-id", "protect"])
  }
}
