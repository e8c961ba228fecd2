import Encoding
import Sessions
import Testing
import Vault
import Vocabulary

@Suite struct `Changes of the settings` {
  let names: [AccountName]

  init() throws { names = try ["a", "b", "c"].map { (text) throws(AccountName.Invalid) in try AccountName(text) } }

  func settings(active: Int = 0) throws -> Settings {
    var settings = Settings()
    for (index, name) in names.enumerated() {
      try settings.set(AccountConfiguration(issuer: "https://as.example/\(index)", clientID: "c"), for: name)
    }
    settings.activate(names[active])
    return settings
  }

  private func written(_ settings: Settings) throws -> Settings { try Settings(parsing: settings.serialized()) }

  @Test(arguments: 0...2) func `a renamed account keeps its place, its settings and its mark`(index: Int) throws {
    var settings = try settings(active: index)
    let new = try AccountName("new")
    let configuration = settings[names[index]]
    settings.rename(names[index], to: new)
    for state in [settings, try written(settings)] {
      #expect(state[new] == configuration)
      #expect(state[names[index]] == nil)
      #expect(state.active == new)
      #expect(state.accounts.map(\.name)[index] == new)
      #expect(state.accounts.count == 3)
    }
  }

  @Test func `another account's mark is left alone by a rename`() throws {
    var settings = try settings(active: 1)
    settings.rename(names[0], to: try AccountName("new"))
    #expect(settings.active == names[1])
  }

  @Test func `members that this build does not know move along`() throws {
    let text = #"{"version":2,"accounts":{"a":{"issuer":"https://x","client_id":"c","from_the_future":[1]}},"more":{}}"#
    var settings = try Settings(parsing: Array(text.utf8))
    settings.rename(names[0], to: names[1])
    let json = try JSON(parsing: settings.serialized())
    #expect(json["accounts"]?["b"]?["from_the_future"] == [1])
    #expect(json["more"] == .object([:]))
  }

  @Test(arguments: [(0, 1), (1, 2), (2, 1)]) func `when the active account goes, a neighbour takes its place`(
    removed: Int, next: Int
  ) throws {
    var settings = try settings(active: removed)
    settings.remove(names[removed])
    for state in [settings, try written(settings)] {
      #expect(state.active == names[next])
      #expect(state[names[removed]] == nil)
      #expect(state.accounts.count == 2)
    }
  }

  @Test func `when another account goes, the active one stays`() throws {
    var settings = try settings(active: 2)
    settings.remove(names[0])
    #expect(settings.active == names[2])
  }

  @Test func `when the last account goes, none is active, and the next one becomes it`() throws {
    var settings = try settings()
    for name in names { settings.remove(name) }
    #expect(settings.active == nil)
    #expect(try written(settings).accounts.isEmpty)
    try settings.set(Home.configuration, for: names[1])
    #expect(settings.active == names[1])
  }

  @Test func `what is not there is neither renamed nor removed`() throws {
    let before = try settings()
    var settings = before
    settings.remove(try AccountName("other"))
    settings.rename(try AccountName("other"), to: try AccountName("new"))
    #expect(settings == before)
  }
}
