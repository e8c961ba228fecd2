import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `The vault's commands` {
  /// The slots as `KIND:PROTECTION`, by number.
  private static func slots(_ tree: AgentTree) throws -> [Int: String] {
    let slots = try #require(try tree.json("vault", "status")["slots"]?.array)
    return Dictionary(
      uniqueKeysWithValues: slots.map { slot in
        (slot["slot"]?.int ?? 0, "\(slot["kind"]?.string ?? "?"):\(slot["protection"]?.string ?? "?")")
      })
  }

  @Test func `tell what opens the vault, and why nothing better does`() throws {
    try LockedHome.with { home in
      let status = try home.tree.json("vault", "status")
      #expect(status["binding"] == "host" && status["device_bound"] == true && status["exists"] == true)
      #expect(status["binding_problem"]?.string?.isEmpty == false)
      #expect(try Self.slots(home.tree) == [1: "host:device", 2: "passphrase:passphrase"])
      #expect(
        status["levels"] == [
          ["protection": "device", "locked": false, "accounts": ["open"]],
          ["protection": "passphrase", "locked": false, "accounts": ["shut"]],
        ])
      let vault = try home.tree.json("status")["vault"]
      #expect(vault?["binding"] == "host" && vault?["binding_problem"] == status["binding_problem"])
      try home.lock()
      let locked = try home.tree.json("vault", "status")["levels"]
      #expect(locked?.array?.last?["locked"] == true && locked?.array?.first?["locked"] == false)
      #expect(try home.run("vault", "status").outputText.contains("slot 2      passphrase, level passphrase"))
    }
  }

  @Test func `tell of a vault that is not there yet`() throws {
    try AgentTree.with { tree in
      let status = try tree.json("vault", "status")
      #expect(status["exists"] == false && status["slots"] == [] && status["levels"] == [])
      #expect(try tree.agent("vault", "status").outputText.contains("none yet"))
      #expect(try tree.agent("vault", "remove-slot", "1", "--json").failureCode == "no_such_slot")
    }
  }

  @Test func `add, change and remove what opens it`() throws {
    try LockedHome.with { home in
      let tree = home.tree
      #expect(
        try tree.json("vault", "add-passphrase", "--passphrase-file", home.wrong)
          == ["slot": 3, "kind": "passphrase", "protection": "device"])
      #expect(
        try tree.json("vault", "add-passphrase", "--protection", "passphrase", "--passphrase-file", home.wrong)["slot"]
          == 4)
      for file in [home.file, home.wrong] {
        try home.lock()
        try home.run("unlock", "--passphrase-file", file)
        #expect(try !home.isLocked())
      }
      try home.run("vault", "remove-slot", "4")
      try home.lock()
      #expect(try tree.agent("unlock", "--passphrase-file", home.wrong).failed(5))
      let locked = try tree.agent(
        "vault", "add-passphrase", "--protection", "passphrase", "--passphrase-file", home.wrong, "--json")
      #expect(locked.failed(5) && locked.failureCode == "locked")
      try tree.directory.write("new", "a new one")
      let change = ["vault", "change-passphrase", "--new-passphrase-file", tree.path("new"), "--passphrase-file"]
      #expect(try tree.agent(change + [home.wrong, "--json"]).failureCode == "wrong_passphrase")
      #expect(try tree.agent(change + [home.file]).succeeded)
      #expect(try tree.agent("unlock", "--passphrase-file", home.file).failed(5))
      try home.run("unlock", "--passphrase-file", tree.path("new"))
      #expect(try Self.slots(tree) == [1: "host:device", 2: "passphrase:passphrase", 3: "passphrase:device"])
      #expect(try tree.json("vault", "bind")["slot"] == 5)
      #expect(try Self.slots(tree)[1] == nil)
      #expect(try !tree.token("open", "--force-refresh").isEmpty)
    }
  }

  @Test func `keep the last slot of what has accounts`() throws {
    try LockedHome.with { home in
      for slot in ["1", "2"] {
        let result = try home.tree.agent("vault", "remove-slot", slot, "--json")
        #expect(result.failed(1) && result.failureCode == "last_slot", "\(slot): \(result.errorText)")
      }
      try home.run("account", "set", "shut", "--protect", "device")
      try home.run("vault", "remove-slot", "2")
      #expect(try home.tree.json("vault", "status")["levels"]?.array?.count == 1)
    }
  }

  @Test func `make new keys, after which the old copy of the vault is of no use for what comes`() throws {
    try LockedHome.with { home in
      let tree = home.tree
      try home.run("vault", "add-passphrase", "--passphrase-file", home.file)
      try home.lock()
      #expect(try tree.json("vault", "rotate-key", "--passphrase-file", home.file)["rotated"] == ["device"])
      try home.unlock()
      #expect(try !home.isLocked())
      // One file cannot contain the passphrases of two slots.
      #expect(try tree.agent("vault", "rotate-key", "--passphrase-file", home.file).failed(2))
      try home.run("vault", "remove-slot", "3")
      let before = try tree.directory.read("state/agent/\(tree.vaultName())")
      let wrong = try tree.agent("vault", "rotate-key", "--passphrase-file", home.wrong, "--json")
      #expect(wrong.failed(5) && wrong.failureCode == "wrong_passphrase")
      #expect(try tree.directory.read("state/agent/\(tree.vaultName())") == before)
      let rotated = try tree.json("vault", "rotate-key", "--passphrase-file", home.file)["rotated"]
      #expect(rotated == ["device", "passphrase"])
      let after = try tree.directory.read("state/agent/\(tree.vaultName())")
      #expect(after != before)
      #expect(try !tree.token("shut", "--force-refresh").isEmpty)
      #expect(try !tree.token("open", "--force-refresh").isEmpty)
      try tree.stopDaemon()
      try home.unlock()
      #expect(try !tree.token("shut", "--force-refresh").isEmpty)
      #expect(try home.issuer.count("reuse_detected") == 0)
    }
  }

  @Test func `check all that is there`() throws {
    try LockedHome.with { home in
      let sound = try home.tree.json("vault", "check")
      #expect(sound["sound"] == true)
      #expect(sound["accounts"]?.array?.compactMap { $0["state"]?.string } == ["opens", "opens"])
      try home.lock()
      let locked = try home.tree.json("vault", "check")
      #expect(locked["sound"] == true)
      #expect(locked["accounts"]?.array?.compactMap { $0["state"]?.string } == ["opens", "locked"])
      try home.tree.stopDaemon()
      let name = "state/agent/\(try home.tree.vaultName())"
      var bytes = try home.tree.directory.read(name)
      bytes[bytes.count - 20] ^= 1
      try home.tree.directory.write(name, bytes)
      try home.unlock()
      let damaged = try home.tree.agent("vault", "check", "--json")
      #expect(damaged.status == .exited(1))
      let answer = try JSON(parsing: damaged.output)
      #expect(answer["sound"] == false)
      #expect(answer["accounts"]?.array?.compactMap { $0["state"]?.string } == ["opens", "damaged"])
    }
  }

  // MARK: Another machine

  @Test(.needsMountNamespace) func `bring a home back that was moved to another machine, with nothing lost`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        try tree.directory.write("passphrase", "correct horse")
        try tree.directory.write("wrong", "battery")
        let first = try OtherMachine("1", in: tree)
        let second = try OtherMachine("2", in: tree)
        let file = tree.path("passphrase")
        func succeed(_ result: ProcessResult) throws { try #require(result.succeeded, "\(result.errorText)") }
        for account in ["work", "home"] {
          try succeed(
            first.agent(
              tree, "login", account, "--issuer", issuer.url, "--client-id", "agent-cli", "--allow-http-loopback"))
        }
        let refused = try second.agent(tree, "vault", "rebind", "--passphrase-file", file, "--json")
        #expect(refused.status == .exited(1) || refused.status == .exited(5), "\(refused.errorText)")
        try succeed(first.agent(tree, "vault", "add-passphrase", "--passphrase-file", file))
        let foreign = try second.agent(tree, "token", "work", "--json")
        #expect(foreign.failed(3) && foreign.failureCode == "other_machine", "\(foreign.errorText)")
        let wrong = try second.agent(tree, "vault", "rebind", "--passphrase-file", tree.path("wrong"), "--json")
        #expect(wrong.failed(5) && wrong.failureCode == "wrong_passphrase")
        try succeed(second.agent(tree, "vault", "rebind", "--passphrase-file", file))
        for account in ["work", "home"] { try succeed(second.agent(tree, "token", account, "--force-refresh")) }
        #expect(try issuer.count("reuse_detected") == 0)
      }
    }
  }

  // MARK: Cuts

  /// The limits in milliseconds for interrupting each change of the slots: most changes last as long as a few key
  /// derivations, the others no longer than a write.
  private static let changes = [
    ("add", 900), ("rotate", 900), ("change", 900), ("rebind", 900), ("bind", 60), ("remove", 60),
  ]
  private static let rounds = Sanitizer.isOn ? 6 : 36

  /// Prepares the slots for a change, whatever an earlier interruption left: `rotate` needs a single passphrase,
  /// `remove` has a slot to remove, and `rebind` finds no automatic slot. Returns the command line.
  private static func prepare(_ change: String, _ home: LockedHome) throws -> [String] {
    let tree = home.tree
    if try !slots(tree).values.contains("host:device") { try home.run("vault", "bind", "--to", "host") }
    for (number, slot) in try slots(tree) where slot == "passphrase:device" {
      try home.run("vault", "remove-slot", "\(number)")
    }
    let file = ["--passphrase-file", home.file]
    switch change {
    case "add": return ["vault", "add-passphrase"] + file
    case "rotate": return ["vault", "rotate-key"] + file
    case "change": return ["vault", "change-passphrase", "--new-passphrase-file", home.file] + file
    case "bind": return ["vault", "bind", "--to", "host"]
    default: break
    }
    let own = try #require(try slots(tree).first { $0.value == "host:device" }).key
    let added = try tree.json("vault", "add-passphrase", "--passphrase-file", home.file)
    let number = try #require(added["slot"]?.int)
    if change == "remove" { return ["vault", "remove-slot", "\(number)"] }
    try home.run("vault", "remove-slot", "\(own)")
    return ["vault", "rebind"] + file
  }

  @Test(.needsProgramsForLong, .timeLimit(.minutes(Sanitizer.isOn ? 90 : 40)))
  func `lose nothing when the daemon is killed in the middle of them`() throws {
    try LockedHome.with { home in
      let tree = home.tree
      var finished = 0
      for round in 0..<Self.rounds {
        try home.unlock()
        let (change, milliseconds) = Self.changes[round % Self.changes.count]
        let line = try Self.prepare(change, home)
        let daemon = try OtherProcess(try tree.daemon())
        let command = try tree.start(line)
        let moment = Int(Randomness.bytes(2).reduce(0) { $0 << 8 | Int($1) }) % milliseconds
        Threads.sleep(for: .milliseconds(moment))
        try daemon.signal(Signals.SIGKILL)
        try #require(daemon.ends(within: .testLimit))
        if try command.wait() == .exited(0) { finished += 1 }
        try home.unlock()
        for account in ["open", "shut"] {
          let result = try tree.agent("token", account, "--force-refresh")
          try #require(result.succeeded, "round \(round), \(line): \(result.errorText)")
        }
      }
      #expect(try tree.json("vault", "check")["sound"] == true)
      #expect(try home.issuer.count("reuse_detected") == 0)
      #expect(finished < Self.rounds, "nothing was cut")
    }
  }
}
