import OAuth
import Platform
import TestSupport
import Testing
import Vault

@testable import Sessions

/// A rotated refresh token that cannot be written to disk.
@Suite struct `A token that cannot be written` {
  let home: Home

  init() throws {
    home = try Home()
    try home.store()
  }

  private var state: String { home.directory.path("state") }

  /// Makes the vault readable for others, which is refused, or restores it.
  private static func spoil(_ state: String, _ mode: String) throws {
    let result = try ProcessRunner.shell("chmod \(mode) '\(state)'/vault.????????????????")
    try #require(result.succeeded)
  }

  /// A refresh during which the vault becomes unusable.
  private func loseRotation() throws {
    let state = state
    home.http.answer(TestIssuer.tokenURL) { _ in
      try Self.spoil(state, "644")
      return try tokens("at-2", refresh: "rt-2")
    }
    #expect(throws: SessionError.self) { _ = try home.refresh() }
    home.http.forgetRequests()
  }

  @Test func `is kept, and it is the one that is spent next`() throws {
    try loseRotation()
    #expect(home.services.hasUnwritten)
    // Nothing is sent while the token cannot be written.
    #expect(throws: SessionError.self) { _ = try home.refresh() }
    #expect(home.http.requests.isEmpty)
    try Self.spoil(state, "600")
    home.http.answer(TestIssuer.tokenURL, try tokens("at-3", refresh: "rt-3"))
    #expect(try home.refresh().accessToken.text == "at-3")
    #expect(home.http.requests.last?.form?[1] == "refresh_token=rt-2")
    #expect(try home.stored()?.refreshToken?.text == "rt-3")
    #expect(!home.services.hasUnwritten)
  }

  @Test func `is written as soon as that is possible`() throws {
    try loseRotation()
    home.services.retryWrites()
    #expect(home.services.hasUnwritten)
    try Self.spoil(state, "600")
    #expect(try home.stored()?.refreshToken?.text == "rt-1")
    home.services.retryWrites()
    #expect(try home.stored()?.refreshToken?.text == "rt-2")
    #expect(!home.services.hasUnwritten)
  }

  @Test func `and that still cannot be written is an error, and kept`() throws {
    try loseRotation()
    try Self.spoil(state, "600")
    // The vault can be read, but not written.
    try #require(try ProcessRunner.shell("cd '\(state)' && mv vault.lock kept && ln -s kept vault.lock").succeeded)
    #expect(throws: SessionError.self) { try home.services.retryWrite(home.account) }
    #expect(home.services.hasUnwritten)
    try #require(try ProcessRunner.shell("cd '\(state)' && mv kept vault.lock").succeeded)
    try home.services.retryWrite(home.account)
    #expect(try home.stored()?.refreshToken?.text == "rt-2")
  }

  @Test func `is what a sign-out revokes`() throws {
    try loseRotation()
    try Self.spoil(state, "600")
    #expect(try home.services.record(of: home.account)?.refreshToken?.text == "rt-2")
  }

  @Test func `is kept when the record cannot be removed either`() throws {
    try loseRotation()
    #expect(throws: SessionError.self) { try home.services.removeLeftover(of: home.account) }
    #expect(home.services.hasUnwritten)
    try Self.spoil(state, "600")
    try home.services.removeLeftover(of: home.account)
    #expect(!home.services.hasUnwritten)
  }

  @Test func `is forgotten when somebody signed in meanwhile`() throws {
    try loseRotation()
    try Self.spoil(state, "600")
    var record = try Home.record()
    record.refreshToken = try secret("rt-other")
    let content = try record.serialized()
    try home.otherProcess().vault.write(home.account, content: content)
    home.http.answer(TestIssuer.tokenURL, try tokens("at-3", refresh: "rt-3"))
    _ = try home.refresh()
    #expect(home.http.requests.last?.form?[1] == "refresh_token=rt-other")
    #expect(!home.services.hasUnwritten)
  }

  @Test func `for all that can be known before is not asked for`() throws {
    // The lock is opened again for the write.
    let line = "cd '\(state)' && rm -f vault.lock && ln -s nowhere vault.lock"
    try #require(try ProcessRunner.shell(line).succeeded)
    #expect(throws: SessionError.vault(VaultError(.badPermissions, path: "\(state)/vault.lock"))) {
      _ = try home.refresh()
    }
    #expect(!home.http.urls.contains(TestIssuer.tokenURL))
    #expect(try !home.directory.open("state").fileNames().contains { $0.hasSuffix(".tmp") })
  }
}
