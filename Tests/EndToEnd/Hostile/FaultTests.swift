import Encoding
import Platform
import TestSupport
import Testing

/// The daemon is killed, or a system call fails, at every step of each change of the vault. The vault stays readable,
/// no account is lost, no older refresh token is spent, and the error is the right one.
@Suite(.needsProgramsForLong, .needsFaults) struct `A fault at any step` {
  @Test func `of a refresh with rotation costs no session but where the answer was lost`() throws {
    try FaultSweep.with { sweep in
      try sweep.tree.signIn("work", at: sweep.issuer.url)
      var lost = 0
      try sweep.run("refresh", share: 4) {
        try sweep.tree.agent("token", "work", "--force-refresh")
      } check: { trial in
        // A kill loses only a token that the server has rotated and the vault has not stored. A server without leeway
        // (RFC 9700 section 4.14.2) then ends the session.
        let after = try sweep.tree.agent("token", "work", "--force-refresh")
        if trial.fault.isKill, after.failed(3) {
          lost += 1
          #expect(trial.isBetweenAnswerAndWrite, "\(trial): \(after.errorText)")
          #expect(after.errorText.contains("session expired, please sign in again"))
          try sweep.tree.signIn("work", at: sweep.issuer.url)
        } else {
          #expect(after.succeeded, "\(trial): \(after.errorText)")
          try sweep.expectIntact("work", "\(trial)")
        }
      }
      #expect(try sweep.issuer.count("reuse_detected") == lost)
      #expect(lost > 0)
    }
  }

  // An unreadable file proves nothing about the session.
  @Test(arguments: [Fault.failure, .tooManyFiles])
  func `of a look at the vault that another program wrote costs no token`(fault: Fault) throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        let daemon = try FaultyDaemon(tree, at: [tree.path("state/agent")])
        try tree.signIn(at: issuer.url)
        let token = try tree.token()
        let vault = tree.path("state/agent/\(try tree.vaultName())")
        let copy = "cp -p '\(vault)' '\(vault).new' && mv '\(vault).new' '\(vault)'"
        try #require(try ProcessRunner.shell(copy).succeeded)
        try daemon.order(1, Fault(description: "\(fault.description.filter(\.isNumber))+", message: nil))
        let answer = try tree.agent("token", "work")
        try daemon.order()
        #expect(try daemon.wasHit())
        #expect(answer.outputText == token + "\n", "\(answer.errorText)")
        #expect(try tree.token() == token)
        #expect(try issuer.count("refreshes") == 0)
        try daemon.kill()
      }
    }
  }

  @Test(arguments: [Fault.failure, .tooManyFiles])
  func `of a look at the settings lasts as long as the fault`(fault: Fault) throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        let daemon = try FaultyDaemon(tree, at: [tree.path("config/agent")])
        try tree.signIn(at: issuer.url)
        try daemon.restart()
        try daemon.order(1, Fault(description: "\(fault.description.filter(\.isNumber))+", message: nil))
        let answer = try tree.agent("token", "work")
        try daemon.order()
        #expect(try daemon.wasHit())
        #expect(answer.failed(1), "\(answer.status) \(answer.errorText)")
        let later = try tree.agent("token", "work")
        #expect(later.succeeded, "\(later.errorText)")
        try daemon.kill()
      }
    }
  }

  /// A power failure only preserves data written to the disk before.
  @Test func `finds the rotated token on the disk before anyone is told of it`() throws {
    try FaultSweep.with { sweep in
      try sweep.daemon.order()
      try #require(try sweep.tree.agent("token", "home", "--force-refresh").succeeded)
      let steps = try sweep.daemon.steps()
      let received = try #require(steps.lastIndex { $0.function == "recv" })
      let done = steps[received...].filter { ["write", "fsync", "renameat"].contains($0.function) }
      #expect(done.map(\.function) == ["write", "fsync", "renameat", "fsync"])
      #expect(done[0].path == done[1].path && done[0].path.hasSuffix(".tmp"))
      #expect(done[2].path == sweep.tree.path("state/agent/\(try sweep.tree.vaultName())"))
      #expect(done[3].path == sweep.tree.path("state/agent"))
    }
  }

  @Test func `that keeps a rotated token off the disk until the daemon stops is told at the stop`() throws {
    try FaultSweep.with { sweep in
      // The preceding refresh provides the number of the write. A refresh that reconnects has another one.
      for attempt in 1...5 {
        try sweep.daemon.order()
        try #require(try sweep.tree.agent("token", "home", "--force-refresh").succeeded)
        let steps = try sweep.daemon.steps()
        // The response to an earlier request belongs to the order before.
        guard let received = steps.lastIndex(where: { $0.function == "recv" }) else {
          try #require(attempt < 5, "\(steps)")
          continue
        }
        let write = try #require(steps[received...].first { $0.function == "write" })
        try sweep.daemon.order(
          write.number, Fault(description: "\(Fault.failure.description.filter(\.isNumber))+", message: nil))
        let refresh = try sweep.tree.agent("token", "home", "--force-refresh")
        let stop = try sweep.tree.agent("daemon", "stop")
        let isTold = stop.failed(1) && stop.errorText.contains("could not store are lost: home\n")
        if attempt == 5 { #expect(refresh.failed(1) && isTold, "\(refresh.errorText)\(stop.errorText)") }
        try sweep.daemon.waitForEnd()
        try sweep.daemon.start()
        try sweep.daemon.order()
        try sweep.tree.signIn("home", at: sweep.issuer.url)
        if refresh.failed(1) && isTold { return }
      }
    }
  }

  // RFC 9700 section 4.14.2.
  @Test func `of a refresh costs no session at a server that takes the last token once more`() throws {
    try FaultSweep.with { sweep in
      try sweep.issuer.control("reuse_leeway", "3600")
      try sweep.tree.signIn("work", at: sweep.issuer.url)
      try sweep.run("refresh with leeway", share: 16) {
        try sweep.tree.agent("token", "work", "--force-refresh")
      } check: { trial in
        try sweep.expectIntact("work", "\(trial)")
      }
      #expect(try sweep.issuer.count("reuse_detected") == 0)
    }
  }

  @Test func `of the first sign-in leaves nothing that stands in the way of the next`() throws {
    try FaultSweep.with { sweep in
      let signIn = ["login", "work", "--issuer", sweep.issuer.url, "--client-id", "agent-cli", "--allow-http-loopback"]
      try sweep.run("first sign-in", share: 16) {
        try sweep.daemon.kill()
        try #require(try ProcessRunner.shell("cd '\(sweep.tree.directory.path)' && rm -rf state/* config/*").succeeded)
        try sweep.daemon.start()
      } operation: {
        try sweep.tree.agent(signIn + ["--device"])
      } check: { trial in
        try sweep.expectNoWastedApproval(trial)
        let again = try sweep.tree.agent(signIn + ["--device"])
        #expect(again.succeeded, "\(trial): \(again.errorText)")
        try sweep.expectRenewed("work", "\(trial)")
      }
      try sweep.tree.signIn("home", at: sweep.issuer.url)
    }
  }

  @Test func `of another sign-in costs no account`() throws {
    try FaultSweep.with { sweep in
      let signIn = ["login", "work", "--issuer", sweep.issuer.url, "--client-id", "agent-cli", "--allow-http-loopback"]
      try sweep.run("sign-in", share: 16, isRepeatable: true) {
        try sweep.tree.agent(signIn + ["--device"])
      } check: { trial in
        try sweep.expectRenewed("home", "\(trial)")
        try sweep.expectNoWastedApproval(trial)
        let again = try sweep.tree.agent(signIn + ["--device"])
        #expect(again.succeeded, "\(trial): \(again.errorText)")
        try sweep.expectRenewed("work", "\(trial)")
      }
      #expect(try sweep.issuer.count("reuse_detected") == 0)
    }
  }

  @Test func `of a sign-out can be made up for by another one`() throws {
    try FaultSweep.with { sweep in
      try sweep.run("sign-out", share: 12) {
        try sweep.tree.signIn("work", at: sweep.issuer.url)
      } operation: {
        try sweep.tree.agent("logout", "work")
      } check: { trial in
        if trial.result.succeeded { #expect(try sweep.tree.agent("token", "work").failed(3), "\(trial)") }
        let again = try sweep.tree.agent("logout", "work")
        #expect(again.succeeded, "\(trial): \(again.errorText)")
        try sweep.daemon.restart()
        #expect(try sweep.tree.agent("token", "work").failed(3), "\(trial)")
        try sweep.expectRenewed("home", "\(trial)")
      }
      #expect(try sweep.issuer.count("reuse_detected") == 0)
    }
  }

  @Test func `of a key rotation leaves a vault that opens with all sessions`() throws {
    try FaultSweep.with { sweep in
      try sweep.tree.signIn("work", at: sweep.issuer.url)
      try sweep.run("key rotation", share: 3) {
        try sweep.tree.agent("vault", "rotate-key")
      } check: { trial in
        try sweep.daemon.restart()
        #expect(try sweep.tree.agent("vault", "check").succeeded, "\(trial)")
        for account in ["work", "home"] { try sweep.expectRenewed(account, "\(trial)") }
      }
      #expect(try sweep.issuer.count("reuse_detected") == 0)
    }
  }

  @Test func `of a rename leaves the whole session under one of the names`() throws {
    try FaultSweep.with { sweep in
      try sweep.tree.signIn("work", at: sweep.issuer.url)
      try sweep.run("rename", share: 16) {
        try sweep.tree.agent("account", "rename", "work", "office")
      } check: { trial in
        try sweep.daemon.restart()
        let listed = try #require(try sweep.tree.json("list")["accounts"]?.array)
        let names = listed.filter { $0["in_config"] != false }.compactMap { $0["name"]?.string }
        let left = names.filter { $0 == "work" || $0 == "office" }
        #expect(left.count == 1, "\(trial): \(names)")
        let token = try sweep.tree.agent(["token", left.first ?? "work", "--force-refresh"])
        #expect(token.succeeded, "\(trial): \(token.errorText)")
        if left == ["office"] { #expect(try sweep.tree.agent("account", "rename", "office", "work").succeeded) }
        try sweep.expectRenewed("home", "\(trial)")
      }
      #expect(try sweep.issuer.count("reuse_detected") == 0)
    }
  }

  @Test func `of a removal can be made up for by another one`() throws {
    try FaultSweep.with { sweep in
      try sweep.run("removal", share: 16) {
        if try !sweep.tree.agent("account", "show", "work").succeeded {
          try sweep.tree.signIn("work", at: sweep.issuer.url)
        }
        try sweep.tree.signIn("work", at: sweep.issuer.url)
      } operation: {
        try sweep.tree.agent("account", "remove", "work")
      } check: { trial in
        try sweep.daemon.restart()
        let again = try sweep.tree.agent("account", "remove", "work")
        #expect(again.succeeded || again.failed(3) || again.failed(1), "\(trial): \(again.errorText)")
        #expect(try !sweep.tree.agent("account", "show", "work").succeeded, "\(trial)")
        try sweep.expectRenewed("home", "\(trial)")
      }
      #expect(try sweep.issuer.count("reuse_detected") == 0)
    }
  }
}
