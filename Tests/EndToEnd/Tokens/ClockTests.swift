import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms, .enabled(if: SetClock.compiler != nil, "there is no C compiler"), .serialized)
struct `A clock that jumps` {
  private static let year = 365 * 86_400

  @Test(arguments: [-year, -86_400, -600]) func `neither ends a token nor revives one`(jump: Int) throws {
    try SetClock.with { (tree, issuer, clock) throws in
      let token = try tree.token()
      try clock.set(wall: jump)
      #expect(try tree.token() == token)
      #expect(try tree.status()["state"] == "active")
      #expect(try issuer.count("refreshes") == 0)
      // After an hour of suspend, the token and the ID Token have expired, whatever the clock shows.
      try clock.set(wall: jump, asleep: 3600)
      #expect(try tree.status()["state"] != "active")
      _ = try tree.agent("token", "work")
      #expect(try issuer.count("refreshes") == 1)
    }
  }

  // Like a pause of a virtual machine, which the clock including suspend does not show.
  @Test(arguments: [3600, 86_400]) func `forward by more than its life has a token renewed before it is handed out`(
    jump: Int
  ) throws {
    try SetClock.with { (tree, issuer, clock) throws in
      let token = try tree.token()
      try clock.set(wall: jump)
      try issuer.control("clock_offset", "\(jump)")
      #expect(try tree.status()["state"] != "active")
      #expect(try tree.token() != token)
      #expect(try issuer.count("refreshes") == 1)
    }
  }

  @Test(arguments: [7200, 86_400]) func `forward and right again ends no session without a refresh token`(jump: Int)
    throws
  {
    try SetClock.with("--no-refresh-token") { (tree, issuer, clock) throws in
      let token = try tree.token()
      try clock.set(wall: jump)
      #expect(try tree.agent("token", "work").failed(3))
      #expect(try tree.status()["state"] != "active")
      try clock.set()
      #expect(try tree.token() == token)
      #expect(try tree.status()["state"] == "active")
    }
  }

  // OpenID Connect Core section 3.1.3.7, steps 9 and 10.
  @Test(arguments: [3 * year, -3 * year]) func `is named where an ID Token is judged by it, and ends no session`(
    jump: Int
  ) throws {
    try SetClock.with { (tree, issuer, clock) throws in
      try clock.set(wall: jump)
      let result = try tree.agent("token", "work", "--force-refresh", "--json")
      #expect(result.failed(1))
      #expect(result.failureCode == "id_token_rejected")
      #expect(result.errorText.contains("clock"), "\(result.errorText)")
      try clock.set()
      #expect(try !tree.token("work", "--force-refresh").isEmpty)
      #expect(try issuer.count("reuse_detected") == 0)
    }
  }

  @Test(arguments: [1000, -1000]) func `has the end of the token told anew, in its own time`(jump: Int) throws {
    try SetClock.with { (tree, issuer, clock) throws in
      let end = try #require(tree.json("token", "work")["expires_at"]?.int)
      try clock.set(wall: jump)
      let told = try #require(tree.json("token", "work")["expires_at"]?.int)
      // A clock that jumped forward may have been paused, so the expiry remains.
      #expect(abs(told - (end + min(0, jump))) <= 3)
      #expect(try tree.events().contains { $0["event"] == "clock_set" && abs(($0["seconds"]?.int ?? 0) - jump) <= 3 })
      #expect(try issuer.count("refreshes") == 0)
    }
  }

  @Test func `forward, by sleep, has a token in use renewed once, and an unused one left alone`() throws {
    try SetClock.with { (tree, issuer, clock) throws in
      // At the latest five minutes before the end of an hour.
      try clock.set(asleep: 3500)
      #expect(try issuer.count("refreshes") == 0)
      _ = try tree.agent("token", "work", "--min-valid", "1s")
      try issuer.await("refreshes", 1)
      try tree.awaitStatus { $0["state"] == "active" }
      try clock.set(asleep: 10_000)
      #expect(try tree.events().contains { $0["event"] == "token_expired" })
      #expect(try issuer.count("refreshes") == 1)
      #expect(try !tree.token().isEmpty)
      #expect(try issuer.count("refreshes") == 2)
    }
  }

  @Test func `by sleep finds an account that is to be always fresh renewed, with nobody asking`() throws {
    try SetClock.with { (tree, issuer, clock) throws in
      let set = try tree.agent("account", "set", "work", "--refresh", "background")
      try #require(set.succeeded, "\(set.errorText)")
      try clock.set(asleep: 4000)
      try issuer.await("refreshes", 1)
      try tree.awaitStatus { $0["state"] == "active" }
    }
  }

  @Test func `by sleep finds the token of a strict account wiped`() throws {
    try SetClock.with { (tree, issuer, clock) throws in
      let set = try tree.agent("account", "set", "work", "--refresh", "strict")
      try #require(set.succeeded, "\(set.errorText)")
      #expect(try tree.status()["expires_at"] != nil)
      try clock.set(asleep: 301)
      #expect(try tree.status()["expires_at"] == nil)
      #expect(try tree.status()["state"] == "stale")
      #expect(try issuer.count("refreshes") == 0)
    }
  }
}
