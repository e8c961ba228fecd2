import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `A vault that was copied` {
  private static func copy(_ names: [String], from tree: AgentTree, to other: AgentTree) throws {
    for name in names {
      let line = "rm -rf '\(other.path(name))' && cp -a '\(tree.path(name))' '\(other.path(name))'"
      try #require(try ProcessRunner.shell(line).succeeded)
    }
  }

  @Test func `the vault file alone does not open in another home`() throws {
    try Session.with { session in
      try AgentTree.with { thief in
        try thief.signIn(at: session.issuer.url)
        try thief.stopDaemon()
        try session.tree.stopDaemon()
        // Both homes are on one machine, so the file has the same name there.
        let name = try session.tree.vaultName()
        #expect(try thief.vaultName() == name)
        try Self.copy(["state/agent/\(name)"], from: session.tree, to: thief)
        let asked = try session.issuer.requests()
        let result = try thief.agent("token", "work", "--json")
        #expect(result.failed(1))
        #expect(result.failureCode == "foreign_device")
        #expect(try session.issuer.requests() == asked)
        #expect(try thief.directory.read("state/agent/\(name)") == session.tree.directory.read("state/agent/\(name)"))
      }
    }
  }

  @Test func `without its device secret it does not open either`() throws {
    try Session.with { session in
      try session.tree.stopDaemon()
      try session.tree.directory.open("state/agent").removeFile("device.key")
      let result = try session.tree.agent("token", "work", "--json")
      #expect(result.failed(1))
      #expect(result.failureCode == "vault_unusable")
      #expect(try !session.tree.directory.open("state/agent").exists("device.key"), "none is made in its place")
      // The user is not asked to approve a session that could not be stored.
      let asked = try session.issuer.requests()
      let login = try session.tree.agent(
        "login", "other", "--issuer", session.issuer.url, "--client-id", "agent-cli", "--allow-http-loopback",
        "--device", "--json")
      #expect(login.status == .exited(1), "\(login.errorText)")
      #expect(login.failureCode == "vault_unusable")
      #expect(try session.issuer.requests() == asked)
    }
  }

  @Test func `a damaged byte is told, and nothing is overwritten`() throws {
    try Session.with { session in
      try session.tree.stopDaemon()
      let name = "state/agent/\(try session.tree.vaultName())"
      var bytes = try session.tree.directory.read(name)
      bytes[bytes.count - 20] ^= 1
      try session.tree.directory.write(name, bytes)
      let result = try session.tree.agent("token", "work", "--json")
      #expect(result.failed(1))
      #expect(result.failureCode == "vault_unusable")
      #expect(try session.tree.directory.read(name) == bytes)
    }
  }

  @Test(.needsMountNamespace) func `a whole home does not open on another machine`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { home in
        try AgentTree.with { copy in
          let first = try OtherMachine("1", in: home)
          let second = try OtherMachine("2", in: home)
          let login = try first.agent(
            home, "login", "work", "--issuer", issuer.url, "--client-id", "agent-cli", "--allow-http-loopback")
          try #require(login.succeeded, "\(login.errorText)")
          #expect(try first.agent(home, "token", "work").succeeded)
          try Self.copy(["home", "config", "state", "cache"], from: home, to: copy)
          let asked = try issuer.requests()
          let result = try second.agent(copy, "token", "work", "--json")
          #expect(result.failed(3))
          #expect(result.failureCode == "other_machine")
          #expect(try issuer.requests() == asked)
          #expect(try first.agent(copy, "token", "work").succeeded)
        }
      }
    }
  }

  @Test(.needsMountNamespace) func `a shared home keeps the sessions of its machines apart`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { home in
        let machines = try ["1", "2"].map { try OtherMachine($0, in: home) }
        for machine in machines {
          let login = try machine.agent(
            home, "login", "work", "--issuer", issuer.url, "--client-id", "agent-cli", "--allow-http-loopback")
          try #require(login.succeeded, "\(login.errorText)")
        }
        for machine in machines + machines { #expect(try machine.agent(home, "token", "work").succeeded) }
        #expect(try issuer.count("reuse_detected") == 0)
        #expect(try issuer.count("device_grants") == 2)
      }
    }
  }

  @Test(.needsMountNamespace) func `under the other machine's name the file is foreign`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { home in
        let first = try OtherMachine("1", in: home)
        let second = try OtherMachine("2", in: home)
        func signIn(_ machine: OtherMachine) throws -> String {
          let before = Set(try home.directory.open("state").exists("agent") ? Self.vaults(home) : [])
          let login = try machine.agent(
            home, "login", "work", "--issuer", issuer.url, "--client-id", "agent-cli", "--allow-http-loopback")
          try #require(login.succeeded, "\(login.errorText)")
          return try #require(Set(Self.vaults(home)).subtracting(before).first)
        }
        let (one, two) = (try signIn(first), try signIn(second))
        let copied = try home.directory.read("state/agent/\(one)")
        try home.directory.write("state/agent/\(two)", copied)
        let asked = try issuer.requests()
        let result = try second.agent(home, "token", "work", "--json")
        #expect(result.failed(1))
        #expect(result.failureCode == "foreign_device")
        #expect(try issuer.requests() == asked)
        #expect(try home.directory.read("state/agent/\(two)") == copied)
      }
    }
  }

  private static func vaults(_ tree: AgentTree) throws -> [String] {
    try tree.directory.open("state/agent").fileNames().filter { $0.hasPrefix("vault.") && $0 != "vault.lock" }
  }
}
