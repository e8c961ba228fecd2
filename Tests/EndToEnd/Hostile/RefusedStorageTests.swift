import Encoding
import Platform
import TestSupport
import Testing

/// Each problem has its own error, changes nothing, and has no effect once it is fixed.
@Suite(.needsPrograms) struct `A vault that cannot be used` {
  /// A state of the files that is refused.
  struct Trouble: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Shell lines, run in the state directory with `$VAULT` for the vault's name.
    let spoil: String
    let mend: String
    let code: String
    /// A part of the message for users.
    let message: String
    var needsRoot = false
    /// False if the vault cannot be read either.
    var isOfWritingAlone = false
  }

  static let troubles: [Trouble] = [
    Trouble(
      testDescription: "a directory of another user", spoil: "chown 65534 .", mend: "chown 0 .", code: "storage",
      message: "state/agent belongs to another user", needsRoot: true),
    Trouble(
      testDescription: "a directory that is open to others", spoil: "chmod 755 .", mend: "chmod 700 .",
      code: "storage", message: "state/agent is open to other users (mode 755)"),
    Trouble(
      testDescription: "a link in place of the directory", spoil: "mv ../agent ../moved && ln -s moved ../agent",
      mend: "rm ../agent && mv ../moved ../agent", code: "storage",
      message: "state/agent is a symbolic link, which is not followed"),
    Trouble(
      testDescription: "a file in place of the directory",
      spoil: "mv ../agent ../moved && (umask 077; echo > ../agent)",
      mend: "rm ../agent && mv ../moved ../agent", code: "storage", message: "state/agent: open failed: Not a directory"
    ),
    Trouble(
      testDescription: "a file of another user", spoil: "chown 65534 $VAULT", mend: "chown 0 $VAULT", code: "storage",
      message: "belongs to another user", needsRoot: true),
    Trouble(
      testDescription: "a file that is open to others", spoil: "chmod 644 $VAULT", mend: "chmod 600 $VAULT",
      code: "storage", message: "is open to other users (mode 644)"),
    Trouble(
      testDescription: "a link in place of the file", spoil: "mv $VAULT kept && ln -s kept $VAULT",
      mend: "mv kept $VAULT", code: "storage", message: "is a symbolic link, which is not followed"),
    Trouble(
      testDescription: "a pipe in place of the file", spoil: "mv $VAULT kept && mkfifo -m 600 $VAULT",
      mend: "mv kept $VAULT", code: "storage", message: "is neither a file nor a directory"),
    Trouble(
      testDescription: "an empty file", spoil: "cp -p $VAULT kept && : > $VAULT", mend: "mv kept $VAULT",
      code: "vault_unusable", message: ": the file is damaged"),
    Trouble(
      testDescription: "a file that is cut off",
      spoil: "cp -p $VAULT kept && dd if=kept of=$VAULT bs=1 count=200 2>/dev/null", mend: "mv kept $VAULT",
      code: "vault_unusable", message: ": the file is damaged"),
    Trouble(
      testDescription: "a file with more at its end", spoil: "cp -p $VAULT kept && echo more >> $VAULT",
      mend: "mv kept $VAULT", code: "vault_unusable", message: ": the file is damaged"),
    Trouble(
      testDescription: "a file of a later version",
      // The version follows the magic and is higher than any known one.
      spoil: "cp -p $VAULT kept && printf '\\377\\377' | dd of=$VAULT bs=1 seek=8 conv=notrunc 2>/dev/null",
      mend: "mv kept $VAULT", code: "vault_unusable",
      message: "the vault was written by a version that this program does not know"),
    Trouble(
      testDescription: "a file without its device secret", spoil: "mv device.key kept", mend: "mv kept device.key",
      code: "vault_unusable", message: "the device secret that opens the vault is missing"),
    Trouble(
      testDescription: "an empty device secret", spoil: "cp -p device.key kept && : > device.key",
      mend: "mv kept device.key", code: "vault_unusable", message: "state/agent/device.key: the file is damaged"),
    Trouble(
      testDescription: "a device secret that is open to others", spoil: "chmod 640 device.key",
      mend: "chmod 600 device.key", code: "storage", message: "device.key is open to other users (mode 640)"),
    Trouble(
      testDescription: "another device secret",
      spoil: "mv device.key kept && head -c 32 /dev/urandom > device.key && chmod 600 device.key",
      mend: "mv kept device.key", code: "foreign_device", message: "the vault was created on another machine"),
    Trouble(
      testDescription: "a lock that is a link", spoil: "mv vault.lock kept && ln -s kept vault.lock",
      mend: "mv kept vault.lock", code: "storage", message: "is a symbolic link, which is not followed",
      isOfWritingAlone: true),
  ]

  /// Problems after which there is nothing left to restore.
  static let losses = [
    "rm device.key", ": > device.key", "head -c 32 /dev/urandom > device.key", ": > $VAULT",
    "dd if=/dev/zero of=$VAULT bs=1 count=1 seek=300 conv=notrunc 2>/dev/null",
  ]

  @Test(arguments: losses) func `and cannot be mended is set aside, with a copy`(loss: String) throws {
    try Session.with { session in
      let tree = session.tree
      let refused = try tree.agent("vault", "set-aside", "--json")
      #expect(refused.failureCode == "invalid_request", "it opens: \(refused.outputText)\(refused.errorText)")
      try tree.stopDaemon()
      let vault = try tree.vaultName()
      try #require(
        try ProcessRunner.shell("VAULT=\(vault); cd '\(tree.path("state/agent"))'; \(loss)").succeeded)
      let bytes = try tree.directory.read("state/agent/\(vault)")
      let failed = try tree.agent("token", "work", "--json")
      #expect(failed.failure?["hint"]?.string?.contains("agent vault set-aside") == true, "\(failed.errorText)")
      let paths = try tree.json("vault", "set-aside")["paths"]?.array?.compactMap(\.string) ?? []
      #expect(paths.first == tree.path("state/agent/\(vault).old-1"), "\(paths)")
      #expect(try tree.directory.read("state/agent/\(vault).old-1") == bytes)
      #expect(try tree.agent("token", "work").failed(3))
      #expect(try tree.agent("login", "work").succeeded)
      #expect(try !tree.token("work", "--force-refresh").isEmpty)
      #expect(try tree.agent("vault", "check").succeeded)
    }
  }

  @Test(arguments: losses.prefix(3)) func `and has a passphrase is bound anew by it`(loss: String) throws {
    try Session.with { session in
      let tree = session.tree
      try tree.directory.write("passphrase", "correct horse\n")
      let passphrase = ["--passphrase-file", tree.path("passphrase")]
      try #require(try tree.agent(["vault", "add-passphrase"] + passphrase).succeeded)
      try tree.stopDaemon()
      try #require(try ProcessRunner.shell("cd '\(tree.path("state/agent"))'; \(loss)").succeeded)
      let failed = try tree.agent("token", "work", "--json")
      #expect(failed.failure?["hint"]?.string?.contains("agent vault rebind") == true, "\(failed.errorText)")
      let bound = try tree.agent(["vault", "rebind"] + passphrase)
      #expect(bound.succeeded, "\(bound.errorText)")
      #expect(try !tree.token("work", "--force-refresh").isEmpty)
    }
  }

  @Test(arguments: troubles.filter { !$0.needsRoot || Machine.userID == 0 })
  func `is told, left as it is, and works again when it is mended`(trouble: Trouble) throws {
    try Session.with { session in
      let tree = session.tree
      // If the directory does not exist, it was moved aside.
      let home = "VAULT=\(try tree.vaultName()); cd '\(tree.path("state"))'; cd agent 2>/dev/null || cd moved; "
      let asked = try session.issuer.requests()
      try tree.stopDaemon()
      try #require(try ProcessRunner.shell(home + trouble.spoil).succeeded)
      let before = try listing(tree)
      for _ in 0..<2 {
        let result = try tree.agent("token", "work", "--force-refresh", "--json")
        #expect(result.failed(1), "\(result.outputText)\(result.errorText)")
        #expect(result.failureCode == trouble.code)
        #expect(result.errorText.contains(trouble.message), "\(result.errorText)")
        #expect(result.errorText.contains("state/agent"), "it names the file: \(result.errorText)")
        #expect(result.failure?["hint"]?.string != nil, "\(result.errorText)")
      }
      #expect(try session.issuer.requests() == asked, "nothing is sent")
      if !trouble.isOfWritingAlone {
        for command in ["list", "status"] {
          let account = try #require(try tree.json(command)["accounts"]?.array?.first)
          #expect(account["state"] == "unreadable", "\(account)")
          #expect(account["problem"]?["code"]?.string == trouble.code, "\(account)")
          #expect(account["problem"]?["hint"] != nil, "\(account)")
          let text = try tree.agent(command).outputText
          #expect(text.contains(trouble.message) && !text.contains("signed out"), "\(text)")
        }
        let findings = try JSON(parsing: try tree.agent("doctor", "--json").output)["findings"]?.array ?? []
        #expect(
          findings.contains { $0["check"] == "vault" && $0["level"] == "fail" && $0["hint"] != nil }, "\(findings)")
      }
      #expect(try listing(tree) == before)
      try #require(try ProcessRunner.shell(home + trouble.mend).succeeded)
      let result = try tree.agent("token", "work", "--force-refresh")
      #expect(result.succeeded, "\(result.errorText)")
      #expect(try session.issuer.count("reuse_detected") == 0)
    }
  }

  /// A separate disk for the state directory, in the mount namespace of one script.
  private func onOwnDisk(_ tree: AgentTree, _ issuer: Issuer, _ script: String) throws -> [Substring] {
    let agent = "'\(try Programs.path("agent"))'"
    let login = "login work --issuer \(issuer.url) --client-id agent-cli --allow-http-loopback --device --quiet"
    let whole = """
      set -eu
      mount -t tmpfs -o size=1m,nr_inodes=64,mode=700 none '\(tree.path("state"))'
      cd /
      token() { \(agent) token work --force-refresh --json 2>&1 >/dev/null && echo done || echo "failed $?"; }
      \(agent) \(login)
      \(script)
      \(agent) daemon stop
      """
    let result = try ProcessRunner.run(
      executable: "/usr/bin/unshare", arguments: OtherMachine.namespace + ["/bin/sh", "-c", whole],
      environment: tree.environment())
    #expect(result.succeeded, "\(result.errorText)")
    return result.lines
  }

  @Test(.needsMountNamespace) func `on a full disk waits for room, and nothing is spent`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        let filler = tree.path("state/filler")
        let lines = try onOwnDisk(
          tree, issuer,
          "token; cat /dev/zero >'\(filler)' 2>/dev/null || true; token; token; rm '\(filler)'; token; token")
        #expect(lines.filter { $0 == "done" }.count == 3, "\(lines)")
        #expect(lines.filter { $0 == "failed 1" }.count == 2, "\(lines)")
        #expect(lines.filter { $0.contains(": the disk is full") }.count == 2, "\(lines)")
        #expect(try issuer.count("refreshes") == 3)
        #expect(try issuer.count("reuse_detected") == 0)
      }
    }
  }

  /// Shell lines that fill the disk's blocks or inodes.
  static let fillings = [
    "cat /dev/zero >\"$STATE/filler\" 2>/dev/null || true",
    "number=0; while touch \"$STATE/filler.$number\" 2>/dev/null; do number=$((number + 1)); done",
  ]

  @Test(.needsMountNamespace, arguments: fillings, ["", "--local"])
  func `on a full disk can be signed out of`(filling: String, option: String) throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        let agent = "'\(try Programs.path("agent"))'"
        let more = "--issuer \(issuer.url) --client-id agent-cli --allow-http-loopback --device --quiet"
        let lines = try onOwnDisk(
          tree, issuer,
          """
          STATE='\(tree.path("state"))'
          \(agent) login other \(more)
          \(filling)
          \(agent) logout work \(option) >/dev/null && echo out
          token
          \(agent) token other >/dev/null && echo other
          \(agent) daemon stop >/dev/null
          token
          rm "$STATE"/filler*
          \(agent) token other --force-refresh >/dev/null && echo other
          \(agent) login work --quiet
          token
          """)
        #expect(lines.contains("out"), "\(lines)")
        #expect(lines.filter { $0 == "failed 3" }.count == 2, "\(lines)")
        #expect(lines.filter { $0 == "other" }.count == 2 && lines.last == "done", "\(lines)")
        #expect(try (issuer.count("revocations") > 0) == option.isEmpty)
      }
    }
  }

  // Approvals are not wasted: the files exist before the first poll.
  @Test(.needsMountNamespace, arguments: fillings)
  func `on a disk that is full before a sign-in is answered gets its session`(filling: String) throws {
    try Issuer.with { issuer in
      try issuer.control("interval", "1")
      try AgentTree.with { tree in
        let agent = "'\(try Programs.path("agent"))'"
        let config = tree.path("config")
        let lines = try onOwnDisk(
          tree, issuer,
          """
          STATE='\(tree.path("state"))'
          cp -a '\(config)' "$STATE/config"
          mount --bind "$STATE/config" '\(config)'
          login=$(\(agent) login other --issuer \(issuer.url) --client-id agent-cli --allow-http-loopback --start --json)
          \(Self.stop(issuer))
          login=${login#*'"login":"'}
          number=0
          until ls -A "$STATE/agent" "$STATE/config/agent" | grep -c '^\\..*tmp$' | grep -q 2; do
            sleep 0.05; number=$((number + 1)); [ $number -lt 100 ] || break
          done
          \(filling)
          kill -CONT \(issuer.processID)
          \(agent) login --resume "${login%%\\"*}" --quiet && echo in
          \(agent) token other >/dev/null && echo token
          rm "$STATE"/filler*
          \(agent) token other --force-refresh >/dev/null && echo other
          ls -A "$STATE/agent" "$STATE/config/agent" | grep "tmp$" || true
          """)
        #expect(lines == ["in", "token", "other"], "\(lines)")
        #expect(try issuer.count("revocations") == 0)
      }
    }
  }

  /// Shell lines that stop all threads of the issuer.
  private static func stop(_ issuer: Issuer) -> String {
    let tasks = "/proc/\(issuer.processID)/task"
    return
      "kill -STOP \(issuer.processID); while grep -L '^State:.T' \(tasks)/*/status | grep -q .; do sleep 0.01; done"
  }

  // The sign-out is durable before the server is asked.
  @Test(.needsMountNamespace, arguments: fillings, [true, false])
  func `on a full disk does not lose the revocation of a sign-out`(filling: String, isRoomAgain: Bool) throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        let agent = "'\(try Programs.path("agent"))'"
        let lines = try onOwnDisk(
          tree, issuer,
          """
          STATE='\(tree.path("state"))'
          \(filling)
          \(Self.stop(issuer))
          \(agent) logout work 2>&1 && echo out
          \(isRoomAgain ? "" : "kill -CONT \(issuer.processID)")
          \(isRoomAgain ? "rm \"$STATE\"/filler*" : "")
          \(agent) daemon stop >/dev/null
          kill -CONT \(issuer.processID)
          \(isRoomAgain ? "" : "rm \"$STATE\"/filler*")
          token
          \(isRoomAgain ? "until curl -s \(issuer.url)/control | grep -q '\"revocations\":[2-9]'; do sleep 0.05; done" : "")
          """)
        // One revocation is the request that was given up. The stopping daemon or the next one sends the other.
        try issuer.await("revocations", 2)
        #expect(lines.contains("out") && lines.contains("failed 3"), "\(lines)")
        #expect(lines.contains { $0.contains("retried for a day") }, "\(lines)")
      }
    }
  }

  @Test(.needsMountNamespace) func `on a disk that became read-only is told, and nothing is spent`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        let state = tree.path("state")
        let lines = try onOwnDisk(
          tree, issuer,
          "token; mount -o remount,ro '\(state)'; token; token; mount -o remount,rw '\(state)'; token")
        #expect(lines.filter { $0 == "done" }.count == 2, "\(lines)")
        #expect(lines.filter { $0 == "failed 1" }.count == 2, "\(lines)")
        #expect(lines.filter { $0.contains("Read-only file system") }.count == 2, "\(lines)")
        #expect(try issuer.count("refreshes") == 2)
      }
    }
  }

  // A mounted file cannot be replaced, which must be noticed before a refresh token is sent.
  @Test(.needsMountNamespace) func `because it is mounted by itself is told, and nothing is spent`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        let state = tree.path("state")
        let lines = try onOwnDisk(
          tree, issuer,
          "cd '\(state)'/agent; for vault in vault.????????????????; do :; done; token; mount --bind \"$vault\" \"$vault\"; token; token; "
            + "umount \"$vault\"; token; cd /")
        #expect(lines.filter { $0 == "done" }.count == 2, "\(lines)")
        #expect(lines.filter { $0 == "failed 1" }.count == 2, "\(lines)")
        #expect(lines.filter { $0.contains("Device or resource busy") }.count == 2, "\(lines)")
        #expect(try issuer.count("refreshes") == 2)
        #expect(try issuer.count("reuse_detected") == 0)
      }
    }
  }

  @Test func `under two names goes on under its own`() throws {
    try Session.with { session in
      let tree = session.tree
      let name = "state/agent/\(try tree.vaultName())"
      try #require(try ProcessRunner.shell("ln '\(tree.path(name))' '\(tree.path("home/copy"))'").succeeded)
      let old = try tree.directory.read("home/copy")
      _ = try tree.token("work", "--force-refresh")
      #expect(try tree.directory.read("home/copy") == old)
      #expect(try tree.directory.read(name) != old)
      try tree.stopDaemon()
      _ = try tree.token("work", "--force-refresh")
      #expect(try session.issuer.count("reuse_detected") == 0)
    }
  }

  @Test func `because its directory was removed means that nobody is signed in, and a sign-in makes it anew`() throws {
    try Session.with { session in
      let tree = session.tree
      try #require(try ProcessRunner.shell("rm -rf '\(tree.path("state/agent"))'").succeeded)
      for options in [[], ["--force-refresh"]] {
        let result = try tree.agent(["token", "work", "--json"] + options)
        #expect(result.failed(3), "\(result.outputText)\(result.errorText)")
        #expect(result.failureCode == "signed_out")
      }
      #expect(try tree.agent("login", "work").succeeded)
      #expect(try !tree.token("work", "--force-refresh").isEmpty)
    }
  }

  // A backup contains a refresh token that may have been spent since, so it is not used without confirmation.
  @Test func `that was put back from a backup is told while the daemon runs, and is used as its hint says`() throws {
    try Session.with("--no-rotation") { session in
      let tree = session.tree
      let vault = tree.path("state/agent/\(try tree.vaultName())")
      try #require(try ProcessRunner.shell("cp -p '\(vault)' '\(tree.path("home/backup"))'").succeeded)
      try tree.signIn("later", at: session.issuer.url)
      _ = try tree.token()
      let asked = try session.issuer.requests()
      try #require(
        try ProcessRunner.shell("cp -p '\(tree.path("home/backup"))' '\(vault).x' && mv '\(vault).x' '\(vault)'")
          .succeeded)
      let refused = try tree.agent("token", "work", "--json")
      #expect(refused.failureCode == "vault_unusable", "\(refused.outputText)\(refused.errorText)")
      #expect(refused.errorText.contains("an old copy was restored"), "\(refused.errorText)")
      #expect(refused.failure?["hint"]?.string?.hasSuffix("agent daemon stop") == true)
      #expect(try session.issuer.requests() == asked)
      try tree.stopDaemon()
      #expect(try !tree.token("work", "--force-refresh").isEmpty)
      #expect(try tree.agent("token", "later").failed(3))
    }
  }

  @Test func `while another program keeps its lock is busy, and nothing is spent`() throws {
    try Session.with { session in
      let tree = session.tree
      let holder = try RunningProcess(
        executable: "/usr/bin/flock",
        arguments: ["-F", tree.path("state/agent/vault.lock"), "sh", "-c", "echo held; exec sleep 3600"])
      #expect(try holder.readLine() == "held")
      let asked = try session.issuer.requests()
      let result = try tree.agent("token", "work", "--force-refresh", "--json")
      #expect(result.failed(4), "\(result.outputText)\(result.errorText)")
      #expect(result.failureCode == "vault_busy")
      #expect(try session.issuer.requests() == asked)
      _ = try holder.terminate()
      #expect(try !tree.token("work", "--force-refresh").isEmpty)
    }
  }

  /// The types, modes, owners, sizes and contents of everything in the state directory.
  private func listing(_ tree: AgentTree) throws -> String {
    let line = """
      cd '\(tree.path("state"))' && find . -printf '%p %y %m %U %s %l\\n' | sort \
      && find . -type f -exec sha256sum {} + | sort
      """
    return try ProcessRunner.shell(line).outputText
  }
}
