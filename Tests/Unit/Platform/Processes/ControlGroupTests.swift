import Platform
import TestSupport
import Testing

@Suite struct `The control group of a daemon` {
  private static func service(_ path: String) -> String? {
    ControlGroup("1:name=systemd:/old.service\n0::\(path)\n", mountedAt: "/nonexistent").service
  }

  @Test func `is that of a service which ends the daemon too, unless it is its own`() {
    #expect(Self.service("/system.slice/cron.service") == "cron.service")
    let app = "/user.slice/user-1000.slice/user@1000.service/app.slice"
    #expect(Self.service("\(app)/app-konsole@1.service") == "app-konsole@1.service")
    #expect(Self.service("\(app)/app-konsole@1.service/tab-1") == "app-konsole@1.service")
    let ownPlaces = [
      "/", "/user.slice/user-1000.slice/session-3.scope", "\(app)/agent.service", "\(app)/vte-spawn-1.scope",
      "/docker/1",
    ]
    for place in ownPlaces { #expect(Self.service(place) == nil, "\(place)") }
    #expect(ControlGroup("", mountedAt: "/").service == nil)
  }

  @Test func `has the lowest limit of memory of all groups above`() throws {
    let scratch = try TemporaryDirectory()
    func limit() -> Int? { ControlGroup("0::/a.slice/b.service\n", mountedAt: scratch.path).memoryBytes }
    #expect(limit() == nil)
    _ = try scratch.open("a.slice/b.service")
    try scratch.write("a.slice/memory.max", "max\n")
    #expect(limit() == nil)
    try scratch.write("a.slice/b.service/memory.max", "67108864\n")
    #expect(limit() == 67_108_864)
    try scratch.write("a.slice/memory.max", "1048576\n")
    #expect(limit() == 1_048_576)
  }
}
