import Encoding
import OAuth
import Platform
import Sessions
import TestSupport
import Testing
import Vocabulary

/// Prepared client IDs for services.
@Suite struct `A file of client ids` {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private var home: String { directory.path("config") }

  private func write(_ text: String, mode: UInt32 = 0o644, _ place: String = "config") throws {
    let bytes = Array(text.utf8)
    try PrivateDirectory(opening: directory.path(place), create: true)
      .replaceFile(ClientsFile.name, with: bytes.span, mode: mode)
  }

  private func configuration(_ issuer: String, _ provider: ProviderName? = nil) -> AccountConfiguration {
    var configuration = AccountConfiguration(issuer: issuer, clientID: "")
    configuration.provider = provider
    return configuration
  }

  private var github: AccountConfiguration { configuration("https://github.com/login/oauth", .github) }

  private func client(_ configuration: AccountConfiguration) throws -> ClientsFile.Client? {
    try ClientsFile.client(
      for: configuration, in: home, AdministratorFiles(in: directory.path("etc"), owner: Machine.userID))
  }

  @Test func `need not be there`() throws {
    #expect(try client(github) == nil)
    try write(#"{"gitlab":{"client_id":"x"}}"#)
    #expect(try client(github) == nil)
  }

  @Test func `names a client by its provider, or by its issuer, which goes first`() throws {
    try write(
      #"{"github":{"client_id":"a","scope":["gist","repo"],"redirect_uri":"http://127.0.0.1/cb"},"#
        + #""https://git.example":{"client_id":"b","scope":["openid","mail"]},"gitlab":{"client_id":"c"}}"#)
    let found = try #require(try client(github))
    #expect(found.path == "\(home)/clients.json" && found.clientID == "a")
    #expect(found.scope == ["gist", "repo"] && found.redirectURI == "http://127.0.0.1/cb")
    let own = try #require(try client(configuration("https://git.example", .gitlab)))
    #expect(own.clientID == "b" && own.scope == ["openid", "mail"])
    var account = github
    account.scope = ["user"]
    _ = try ClientsFile.complete(&account, in: home)
    #expect(account.clientID == "a" && account.scope == ["user"] && account.redirectURI == "http://127.0.0.1/cb")
    account.clientID = "mine"
    #expect(try ClientsFile.complete(&account, in: home) == nil)
  }

  @Test func `of the user goes before that of the system`() throws {
    try write(#"{"github":{"client_id":"system"},"google":{"client_id":"g"}}"#, "etc")
    #expect(try client(github)?.clientID == "system")
    try write(#"{"github":{"client_id":"user"}}"#)
    #expect(try client(github)?.clientID == "user")
    #expect(try client(configuration("https://accounts.google.com", .google))?.clientID == "g")
  }

  @Test(arguments: ["config", "etc"]) func `that others can change is not used`(place: String) throws {
    try write(#"{"github":{"client_id":"x"}}"#, mode: 0o664, place)
    #expect(throws: SessionError.self) { try client(github) }
  }

  // The file's author must not be able to redirect a code or a token.
  @Test(arguments: [
    ("token_endpoint", #""https://evil.example/t""#, "unknown member token_endpoint"),
    ("issuer", #""https://evil.example""#, "unknown member issuer"),
    ("redirect_uri", #""https://evil.example/cb""#, "redirect_uri must be an http URL at a loopback address"),
    ("redirect_uri", "1", "redirect_uri must be a text of at most 4096 bytes"),
    ("scope", "1", "scope must be a list of at most 64 texts"),
    ("scope", #"["a",1]"#, "scope must be a list of at most 64 texts"),
    ("client_secret", #""s""#, "the client secret of this service is confidential, and must not be in this file"),
  ])
  func `holds nothing but a client`(member: String, value: String, problem: String) throws {
    let text = #"{"gitlab":{"client_id":"y"},"# + "\n" + #"  "github":{"client_id":"x","\#(member)":\#(value)}}"#
    for place in ["config", "etc"] {
      try write(text, place)
      let path = directory.path("\(place)/clients.json")
      let error = #expect(throws: SessionError.self) { try client(github) }
      guard case .configuration(let error) = error, case .clientsFile(let found) = error.code else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(found.text.english.hasPrefix("\(path):2:") && found.text.english.hasSuffix(": \(problem)"))
      #expect(try client(configuration("https://gitlab.com", .gitlab))?.clientID == "y")
      try write("{}", place)
    }
  }

  @Test(arguments: ["config", "etc"]) func `that is no object is named`(place: String) throws {
    try write("[]", place)
    let error = #expect(throws: SessionError.self) { try client(github) }
    guard case .configuration(let problem)? = error else { return #expect(Bool(false), "\(String(describing: error))") }
    #expect(problem.path == directory.path("\(place)/clients.json"))
  }

  @Test func `holds a secret where it is known to be none`() throws {
    try write(#"{"google":{"client_id":"x","client_secret":"GOCSPX-1"}}"#)
    #expect(try client(configuration("https://accounts.google.com", .google))?.publicSecret == "GOCSPX-1")
  }
}
