import Platform
import TestSupport
import Testing

@Suite(.needsPrograms, .enabled(if: PlayedDesktop.isPossible, "dbus-daemon, python3-dbus or namespaces are missing"))
struct `A screen that is locked` {
  @Test func `locks what is unlocked, when logind says so of the user's own session`() throws {
    try LockedHome.with { home in
      try home.tree.stopDaemon()
      let desktop = try PlayedDesktop(home.tree)
      try home.unlock()
      try Self.lock(home, by: desktop, .lockOwnSession)
      try home.unlock()
      try desktop.play(.lockOtherSession)
      try desktop.play(.pretend)
      #expect(try !home.isLocked(), "neither another user's session nor a pretender locks anything")
      try desktop.play(.lockOwnSession)
      #expect(try Self.isLockedSoon(home))
      #expect(try !home.tree.token("open").isEmpty)
    }
  }

  @Test func `locks what is unlocked, when the desktop's screen saver says so`() throws {
    try LockedHome.with { home in
      try home.tree.stopDaemon()
      let desktop = try PlayedDesktop(home.tree)
      try home.unlock()
      try Self.lock(home, by: desktop, .saverOn)
      try home.unlock()
      try desktop.play(.saverOff)
      #expect(try !home.isLocked(), "a screen that is shown again locks nothing")
      try desktop.play(.saverOn)
      #expect(try Self.isLockedSoon(home))
    }
  }

  /// The bus delivers the signal to the daemon asynchronously.
  private static func isLockedSoon(_ home: LockedHome) throws -> Bool {
    let deadline = Instant.now.advanced(by: .testLimit)
    while try !home.isLocked() {
      guard Instant.now < deadline else { return false }
    }
    return true
  }

  /// The daemon starts to listen some time after the unlock, so the first attempt may be too early.
  private static func lock(_ home: LockedHome, by desktop: PlayedDesktop, _ deed: PlayedDesktop.Deed) throws {
    let deadline = Instant.now.advanced(by: .testLimit)
    repeat { try desktop.play(deed) } while try !home.isLocked() && Instant.now < deadline
    #expect(try home.isLocked())
    #expect(try home.tree.hasLocked("session"))
  }
}
