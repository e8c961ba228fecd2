import Testing

/// After each row the same daemon runs without leaked memory, another account still gets tokens, and the attacked
/// session is in the expected state.
@Suite(.needsPrograms) struct `A hostile issuer` {
  @Test func `cannot slip in an ID Token that is wrong when a token is renewed`() throws {
    try HostileScene.with { scene in try scene.attackSession(HostileCatalogue.renewedIDTokens) }
  }

  @Test func `cannot slip in an RSA signature that is none`() throws {
    try HostileScene.with { scene in
      try scene.attackSession(HostileCatalogue.renewedRSATokens, algorithm: "RS256")
    }
  }

  @Test func `cannot do harm by answers of its token endpoint`() throws {
    try HostileScene.with { scene in
      try scene.attackSession(HostileCatalogue.tokenAnswers, standing: [("rotation", "off")])
    }
  }

  @Test func `cannot do harm by what it says about the user`() throws {
    try HostileScene.with { scene in try scene.attackSession(HostileCatalogue.userInfo) }
  }

  @Test func `cannot keep a session from being ended`() throws {
    try HostileScene.with { scene in try scene.attackSession(HostileCatalogue.revocation) }
  }

  @Test func `cannot do harm by answers of a resource`() throws {
    try HostileScene.with { scene in try scene.attackSession(HostileCatalogue.resources) }
  }

  @Test func `cannot cost a session by keys that cannot be used`() throws {
    try HostileScene.with { scene in
      for row in HostileCatalogue.renewedKeys { try scene.attackKeys(row) }
    }
  }

  // oidcc-client-test-signing-key-rotation-just-before-signing
  @Test func `may change its key just before it signs`() throws {
    try HostileScene.with { scene in try scene.signInAfterRotation() }
  }

  @Test func `registers no client with answers that cannot be used`() throws {
    try HostileScene.with { scene in
      for row in HostileCatalogue.registrations { try scene.attackSignIn(row) }
    }
  }

  @Test func `signs nobody in with an ID Token that is wrong`() throws {
    try HostileScene.with { scene in
      for row in HostileCatalogue.firstIDTokens { try scene.attackSignIn(row) }
    }
  }

  @Test func `signs nobody in with metadata or keys that are wrong`() throws {
    try HostileScene.with { scene in
      for row in HostileCatalogue.documents { try scene.attackSignIn(row) }
    }
  }

  @Test func `signs nobody in with answers that cannot be used`() throws {
    try HostileScene.with { scene in
      for row in HostileCatalogue.signIns { try scene.attackSignIn(row) }
    }
  }
}
