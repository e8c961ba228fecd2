import Encoding
import OAuth
import Sessions
import Testing
import Vault
import Vocabulary

@Suite struct `Removing an account` {
  let home: Home
  let other: AccountName

  init() throws {
    home = try Home()
    other = try AccountName("other")
    try home.addSettings()
    try home.addSettings(for: other)
    try home.store()
  }

  func remove(isLocal: Bool = false) throws -> AccountRemoval {
    let signOut = SignOutOperation(
      account: home.account, configuration: Home.configuration, grant: nil, isLocal: isLocal, services: home.services)
    return try signOut.remove()
  }

  @Test func `revokes its tokens, then forgets record and settings`() throws {
    home.http.answer(TestIssuer.revocationURL, try response(200, [:]))
    let outcome = try remove()
    #expect(outcome.revocationResult == .revoked)
    #expect(outcome.active == other)
    #expect(try home.settings().accounts.map(\.name) == [other])
    #expect(try home.stored() == nil)
  }

  @Test func `tells the server nothing when asked so`() throws {
    #expect(try remove(isLocal: true).revocationResult == .local)
    #expect(home.http.requests.isEmpty)
    #expect(try home.settings()[home.account] == nil)
  }

  /// Removes the account while the server is down.
  private func removeUnheard() throws -> SignOutOperation.RevocationResult {
    home.http.fail(TestIssuer.revocationURL, HTTPFailure(.connect))
    return try remove().revocationResult
  }

  @Test func `works while the server is down, which is told later`() throws {
    try home.store { $0.beganAtResource = true }
    #expect(try removeUnheard().isPostponed)
    #expect(try home.settings()[home.account] == nil)
    let left = try #require(try home.stored())
    #expect(left.isSignedOut && left.refreshToken == nil && left.revocation?.refreshToken?.text == "rt-1")
    let next = home.otherProcess()
    #expect(next.accountsToRevoke() == [home.account])
    #expect(next.pendingRevocation(of: home.account).revokePending().revocationResult == .revoked)
    #expect(try home.stored() == nil, "nothing is left of it")
  }

  @Test func `that the server did not hear of can be given up`() throws {
    #expect(try removeUnheard().isPostponed)
    #expect(try remove(isLocal: true).revocationResult == .local)
    #expect(try home.stored() == nil)
  }

  // Only the settings name the file of the authorities.
  @Test func `at a server with its own certificate authorities is not told later`() throws {
    try home.store { $0.authority.caDigest = "digest" }
    guard case .failed = try removeUnheard() else {
      Issue.record("there is no later attempt")
      return
    }
    #expect(try home.stored() == nil)
  }

  @Test func `adds to what the server is told later the token of a refresh in progress`() throws {
    home.http.answer(TestIssuer.tokenURL) { _ in
      var signOut = SignOutOperation(
        account: home.account, configuration: Home.configuration, grant: nil, isLocal: false, services: home.services)
      signOut.willContactServer = { [cancellation = signOut.cancellation] in cancellation.cancel() }
      let outcome = try signOut.remove()
      #expect(outcome.revocationResult == .postponed(.cancelled))
      return try tokens("at-2", refresh: "rt-2")
    }
    #expect { _ = try home.refresh() } throws: { ($0 as? SessionError) == .signedOut(account: "work") }
    #expect(try home.stored()?.revocation?.refreshToken?.text == "rt-2")
  }

  // MARK: An account that gets its name

  @Test func `leaves what the server is told later beside an account that is added`() throws {
    #expect(try removeUnheard().isPostponed)
    var configuration = Home.configuration
    configuration.issuer = "https://other.example"
    _ = try home.services.add(home.account, configuration)
    #expect(
      home.services.pendingRevocation(of: home.account, configuration).revokePending().revocationResult == .revoked)
    #expect(try home.stored() == nil)
  }

  @Test func `leaves what the server is told later under another name if an account is renamed to its name`() throws {
    #expect(try removeUnheard().isPostponed)
    _ = try home.services.rename(other, to: home.account)
    #expect(try home.stored() == nil)
    let left = try AccountName("work.removed-1")
    #expect(home.services.accountsToRevoke() == [left])
    #expect(home.services.pendingRevocation(of: left).revokePending().revocationResult == .revoked)
  }

  @Test(arguments: ["cli", "another"])
  func `is replaced by a sign-in of the same client alone`(client: String) throws {
    #expect(try removeUnheard().isPostponed)
    var configuration = Home.configuration
    configuration.clientID = client
    home.http.always(TestIssuer.deviceURL, try response(200, Home.codes))
    let request = SignIn.Request(
      account: home.account, configuration: configuration, isNew: true, services: home.services,
      cancellation: Cancellation()
    ) { _ in .init() }
    home.http.answer(TestIssuer.tokenURL, try tokens("at-2", refresh: "rt-2"))
    let outcome = try home.finish(try request.device())
    #expect(try home.stored()?.refreshToken?.text == "rt-2")
    // The server may end both with either.
    let isReplaced = client == "cli"
    #expect(outcome.notices.contains { if case .earlierGrantRemains = $0 { true } else { false } } == isReplaced)
    #expect(home.services.accountsToRevoke() == (isReplaced ? [] : [try AccountName("work.removed-1")]))
  }

  @Test func `waits for no refresh, whose tokens are dropped`() throws {
    home.http.answer(TestIssuer.tokenURL) { _ in
      #expect(try remove(isLocal: true).revocationResult == .local)
      return try tokens("at-2", refresh: "rt-2")
    }
    #expect { _ = try home.refresh() } throws: { ($0 as? SessionError) == .signedOut(account: "work") }
    #expect(try home.settings()[home.account] == nil)
    #expect(try home.stored() == nil)
  }

  @Test func `that is locked needs an unlock, or the wish to tell nobody`() throws {
    try home.storeLocked()
    #expect { _ = try remove() } throws: { ($0 as? SessionError)?.isLocked == true }
    #expect(try home.settings()[home.account] != nil)
    #expect(try home.services.vault.accounts() == [home.account])
    #expect(try remove(isLocal: true).revocationResult == .local)
    #expect(try home.settings()[home.account] == nil)
    #expect(try home.services.vault.accounts() == [])
  }

  @Test func `of the last one leaves none active`() throws {
    _ = try home.settingsFile.change { $0.remove(other) }
    #expect(try remove(isLocal: true).active == nil)
  }
}
