import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms, .needsForeignMemory) struct `The memory of a locked daemon` {
  @Test func `holds neither tokens nor what unlocks them`() throws {
    let issuer = try CanaryIssuer()
    let canaries = issuer.canaries
    let secrets =
      canaries.named.filter { ["access token", "refresh token", "client secret", "ID Token"].contains($0.name) }
      + [(name: "passphrase", value: LockedHome.passphrase)]
    try AgentTree.with { tree in
      let files = try TemporaryDirectory()
      try files.write("client", canaries.clientSecret)
      try files.write("passphrase", LockedHome.passphrase)
      let opening = ["--passphrase-file", files.path("passphrase")]
      let login = try tree.agent(
        [
          "login", "work", "--issuer", issuer.url, "--client-id", CanaryIssuer.clientID, "--allow-http-loopback",
          "--device", "--client-secret-file", files.path("client"), "--protect", "passphrase",
        ] + opening)
      try #require(login.succeeded, "\(login.errorText)")
      let memory = ProcessMemory(of: try tree.daemon())
      for round in 0..<2 {
        #expect(try tree.token() == canaries.access)
        #expect(try tree.token("work", "--force-refresh") == canaries.access)
        #expect(try tree.token("work", "--id-token") == canaries.idToken)
        // The search finds existing secrets.
        let before = Set(try memory.places(of: secrets + [(name: "issuer", value: issuer.url)]).map(\.secret))
        #expect(before.contains("issuer"), "round \(round)")
        #expect(!before.contains("passphrase"), "it is needed for a moment only")
        let lock = try tree.agent("lock")
        try #require(lock.succeeded, "\(lock.errorText)")
        let after = try memory.places(of: secrets)
        #expect(after.isEmpty, "round \(round): \(after)")
        let unlock = try tree.agent(["unlock"] + opening)
        try #require(unlock.succeeded, "\(unlock.errorText)")
      }
      try canaries.expectNone(inFilesOf: tree)
      #expect(try tree.files(containing: [LockedHome.passphrase]) == [])
    }
  }
}
