import Encoding
import OAuth
import Platform
import TestSupport
import Testing
import Vault
import Vocabulary

@testable import Sessions

@Suite struct `A revocation that is not on disk` {
  let home: Home
  let services: SessionServices

  init() throws {
    home = try Home()
    services = home.services.forEphemeralAccount()
    services.ephemeral.set(Home.configuration, for: home.account)
    try services.write(Home.record(), of: home.account)
  }

  /// Signs out of the account without files, while the server is unreachable.
  private func signOut() throws {
    home.http.fail(TestIssuer.revocationURL, HTTPFailure(.connect))
    let operation = SignOutOperation(
      account: home.account, configuration: Home.configuration, grant: nil, isLocal: false, services: services)
    #expect(try operation.run().revocationResult.isPostponed)
    services.removeEphemeral(home.account)
    home.http.forgetRequests()
  }

  private var revoked: [String] {
    home.http.requests.filter { $0.url == TestIssuer.revocationURL }.compactMap { $0.form?.first }
  }

  @Test func `is attempted again, and forgotten once the server confirms`() throws {
    try signOut()
    #expect(home.services.accountsToRevoke() == [home.account])
    home.http.fail(TestIssuer.revocationURL, HTTPFailure(.connect))
    #expect(home.services.pendingRevocation(of: home.account).revokePending().revocationResult.isPostponed)
    #expect(home.services.pendingRevocation(of: home.account).revokePending().revocationResult == .revoked)
    #expect(revoked == ["token=rt-1", "token=rt-1"])
    #expect(home.services.accountsToRevoke() == [] && !home.services.hasUnwritten)
    #expect(try home.services.vault.accounts() == [], "it has no files")
  }

  @Test func `is attempted once more when the process ends`() throws {
    try signOut()
    #expect(home.services.hasUnwritten)
    home.services.retryWrites()
    #expect(revoked == [] && home.services.hasUnwritten)
    home.services.revokeUnwritten()
    #expect(revoked == ["token=rt-1"])
    #expect(!home.services.hasUnwritten)
  }

  @Test func `goes by the settings of the sign-out`() throws {
    try signOut()
    var other = Home.configuration
    other.issuer = "https://other.example"
    #expect(home.services.pendingRevocation(of: home.account, other).revokePending().revocationResult == .revoked)
  }

  @Test func `is not made once there is a session again, which it might end`() throws {
    try signOut()
    services.ephemeral.set(Home.configuration, for: home.account)
    try services.write(Home.record(), of: home.account)
    #expect(home.services.pendingRevocation(of: home.account).revokePending().revocationResult == .nothingToRevoke)
    #expect(revoked == [] && !home.services.hasUnwritten)
  }

  @Test func `is kept in memory when a session of another client replaces it and nothing can be written`() async {
    await #expect(processExitsWith: .success) {
      let home = try Home()
      try home.store { record in
        record = try #require(
          record.signedOut(.init(refreshToken: record.refreshToken, until: TestIssuer.now + 100)))
      }
      Signals.block([fileSizeSignal])
      let limited = try ProcessRunner.run(
        executable: "/usr/bin/prlimit", arguments: ["--pid", "\(Machine.processID)", "--fsize=0:"])
      #expect(limited.succeeded)
      home.services.movePendingRevocation(of: home.account)
      ResourceLimit.raiseAll()
      let name = try AccountName("work.removed-1")
      #expect(home.services.unwrittenRevocations.accounts == [name])
      home.services.retryWrites()
      #expect(home.services.unwrittenRevocations.accounts == [])
      #expect(try home.otherProcess().record(of: name)?.revocation?.refreshToken?.text == "rt-1")
    }
  }

  @Test func `is written as soon as that is possible`() throws {
    services.removeEphemeral(home.account)
    var record = try Home.record()
    record.revocation = .init(refreshToken: record.refreshToken, until: home.time.wallSeconds() + 100)
    record = try #require(record.signedOut(record.revocation))
    home.services.unwrittenRevocations[home.account] = .init(
      record: record, configuration: Home.configuration, protection: .device)
    home.services.retryWrites()
    #expect(!home.services.hasUnwritten)
    #expect(try home.stored()?.revocation?.refreshToken?.text == "rt-1")
    #expect(home.otherProcess().pendingRevocation(of: home.account).revokePending().revocationResult == .revoked)
    #expect(try home.stored() == nil)
  }
}
