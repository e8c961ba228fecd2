import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `The doctor` {
  /// The findings of a check, each with its level, message and hint.
  private static func findings(
    _ check: String, _ tree: AgentTree, _ changes: [String: String?] = [:], status: Int32 = 0
  ) throws -> [String] {
    let result = try tree.agent(["doctor", "--json"], changes)
    #expect(result.status == .exited(status), "\(result.outputText) \(result.errorText)")
    let answer = try JSON(parsing: result.output)
    #expect(answer["ok"]?.bool == (status == 0))
    for finding in answer["findings"]?.array ?? [] where finding["level"] != "ok" {
      #expect(finding["hint"] != nil, "\(finding["message"]?.string ?? "-")")
    }
    return (answer["findings"]?.array ?? []).filter { $0["check"]?.string == check }.map { finding in
      let hint = finding["hint"]?.string.map { "; try: \($0)" } ?? ""
      return "\(finding["level"]?.string ?? "-") \(finding["message"]?.string ?? "-")\(hint)"
    }
  }

  private static func signedIn(_ body: (AgentTree, Issuer) throws -> Void) throws {
    try Issuer.with([]) { issuer in
      try AgentTree.with { tree in
        try tree.signIn(at: issuer.url)
        try body(tree, issuer)
      }
    }
  }

  @Test func `finds nothing wrong where nothing is, and tells nobody's secrets`() throws {
    try Self.signedIn { tree, issuer in
      let token = try tree.token()
      let result = try tree.agent(["doctor"], ["GOAUTH": "secret-value"])
      #expect(result.succeeded && result.errorText.isEmpty, "\(result.outputText) \(result.errorText)")
      let daemon = ControlGroup.current.service == nil ? "ok    daemon " : "warn  daemon "
      for line in [daemon, "ok    vault ", "ok    clock ", "ok    account            work: signed in"] {
        #expect(result.lines.contains { $0.hasPrefix(line) }, "\(line): \(result.outputText)")
      }
      #expect(result.outputText.contains("server             \(issuer.url) is reachable ("), "\(result.outputText)")
      #expect(result.outputText.contains("warn  variable           GOAUTH is set"))
      for secret in [token, "secret-value", tree.path("home")] { #expect(!result.outputText.contains(secret)) }
      #expect(try tree.agent("doctor", "work").succeeded)
      let unknown = try tree.agent("doctor", "other")
      #expect(unknown.status == .exited(1) && unknown.outputText.contains("FAIL  settings "), "\(unknown.outputText)")
    }
  }

  @Test(
    .needsMountNamespace, arguments: ["state/agent", "config/agent", "state/agent/locks"],
    ["ro", "size=4k", "nr_inodes=1"])
  func `finds a directory in which no file can be made`(name: String, option: String) throws {
    try Self.signedIn { tree, _ in
      try tree.stopDaemon()
      let place = tree.path(name)
      let agent = "'\(try Programs.path("agent"))'"
      let script = """
        set -eu
        cp -a '\(place)' '\(tree.path("kept"))'
        mount -t tmpfs -o mode=700\(option == "ro" ? "" : ",\(option)") none '\(place)'
        \(option == "ro" ? "cp -a '\(tree.path("kept"))'/. '\(place)'; mount -o remount,ro '\(place)'" : "")
        \(option == "size=4k" ? "head -c 4096 /dev/zero > '\(place)/filler'" : "")
        cd /
        \(agent) doctor --json || true
        \(agent) daemon stop >/dev/null 2>&1
        """
      let result = try ProcessRunner.run(
        executable: "/usr/bin/unshare", arguments: OtherMachine.namespace + ["/bin/sh", "-c", script],
        environment: tree.environment())
      let findings = try JSON(parsing: Array(try #require(result.lines.first).utf8))["findings"]?.array ?? []
      let found = findings.filter { $0["check"] == "directory" && $0["level"] == "fail" }
      #expect(found.contains { $0["message"]?.string?.contains(place) == true && $0["hint"] != nil }, "\(findings)")
    }
  }

  @Test func `tells a server that is gone, and one that is silent, without waiting for it`() throws {
    let silent = try SilentServers(1)
    try AgentTree.with { tree in
      for (name, url) in [("gone", "http://127.0.0.1:9"), ("silent", silent.urls[0])] {
        let made = try tree.agent(
          "account", "add", name, "--issuer", url, "--client-id", "x", "--allow-http-loopback")
        try #require(made.succeeded)
      }
      let found = try Self.findings("server", tree, status: 1)
      #expect(
        found.contains {
          $0.hasPrefix("fail http://127.0.0.1:9: cannot reach 127.0.0.1:9: connection refused; try: ")
        }, "\(found)")
      #expect(
        found.contains(
          "fail \(silent.urls[0]): the server did not answer within 2 seconds; try: curl -sSI \(silent.urls[0])"),
        "\(found)")
      #expect(try tree.agent("doctor", "gone").outputText.contains("silent") == false)
    }
  }

  @Test func `waits for no silent daemon or name server, and says how to wake the daemon`() throws {
    try AgentTree.with { tree in
      let made = try tree.agent("account", "add", "work", "--issuer", "https://id.example", "--client-id", "x")
      try #require(made.succeeded)
      let process = try tree.daemon()
      // A daemon in each directory.
      try #require(tree.agent(["daemon", "start"], ["XDG_RUNTIME_DIR": nil]).succeeded)
      defer { _ = try? tree.agent(["daemon", "stop"], ["XDG_RUNTIME_DIR": nil]) }
      let found = try tree.whileDaemonIsSilent { try Self.findings("socket", tree, status: 1) }
      let line = "fail \(tree.socketPath): the daemon did not answer in time; try: kill -CONT \(process)"
      #expect(found.contains(line) && found.count == 2, "\(found)")
      let woken = try tree.whileDaemonIsSilent {
        try tree.shell("sh", "kill -CONT \(process)").succeeded && tree.agent("list").succeeded
      }
      #expect(woken)
    }
  }

  @Test func `tells a session that has ended at the server`() throws {
    try Self.signedIn { tree, issuer in
      issuer.stop()
      #expect(try tree.agent("token", "--force-refresh").failed(4))
      let found = try Self.findings("account", tree, status: 1)
      #expect(found.count == 1 && found[0].hasPrefix("warn work: cannot reach "), "\(found)")
      #expect(found.contains { $0.contains(" ago") || $0.contains("just now") }, "\(found)")
    }
  }

  @Test func `tells a socket that cannot be, an open directory and a second daemon`() throws {
    try AgentTree.with { tree in
      let wrong = try Self.findings("socket", tree, ["AGENT_SOCKET": "here"], status: 1)
      #expect(wrong == ["fail AGENT_SOCKET must be the absolute path of a socket; try: unset AGENT_SOCKET"])
      try #require(tree.agent("daemon", "start").succeeded)
      #expect(try Self.findings("socket", tree) == ["ok \(tree.socketPath)"])
      let unused = tree.path("runtime/other/none.sock")
      #expect(
        try Self.findings("socket", tree, ["AGENT_SOCKET": unused], status: 1)
          == ["warn AGENT_SOCKET is \(unused), but no daemon was listening there; try: unset AGENT_SOCKET"])
      // Like cron, which has no session directory.
      try #require(tree.agent(["daemon", "start"], ["XDG_RUNTIME_DIR": nil]).succeeded)
      let two = try Self.findings("socket", tree)
      #expect(two.count == 2 && two[1].hasPrefix("warn a second daemon is running, process "), "\(two)")
      #expect(two.last?.hasSuffix(" agent daemon stop") == true, "\(two)")
      #expect(try tree.agent(["daemon", "stop"], ["XDG_RUNTIME_DIR": nil]).succeeded)
      #expect(try tree.agent("daemon", "stop").succeeded)
      #expect(try tree.shell("sh", "chmod 755 \"$XDG_RUNTIME_DIR/agent\"").succeeded)
      let open = try Self.findings("socket", tree, status: 1)
      #expect(open.count == 1 && open[0].contains("is open to other users (mode 755)"), "\(open)")
    }
  }

  @Test func `tells another helper of git that comes first, or gets the tokens too, without its words`() throws {
    try AgentTree.with { tree in
      let ours = "!agent helper git"
      for (helpers, line) in [
        (["", ours], "ok git uses this program for https://git.example.com"),
        (
          ["store --file=secret", ours],
          "warn git uses another helper first for https://git.example.com: store; try: agent setup git"
        ),
        (
          [ours, "/usr/bin/cache --x=secret"],
          "warn git also passes the tokens for https://git.example.com to another helper: cache; try: agent setup git"
        ),
        (
          ["", "/nowhere/git-credential-agent"],
          "fail git runs /nowhere/git-credential-agent for https://git.example.com, which does not exist;"
            + " try: agent setup git"
        ),
      ] {
        let lines = helpers.map { "git config --global --add credential.https://git.example.com.helper '\($0)'" }
        try #require(
          tree.shell("sh", "set -e; rm -f .gitconfig; " + lines.joined(separator: "; ")).succeeded)
        let found = try Self.findings("helper", tree, status: line.hasPrefix("fail") ? 1 : 0)
        #expect(found == [line])
      }
    }
  }

  @Test(arguments: [("2.39.5", "warn"), ("2.46.0", "ok"), ("3.0", "ok")])
  func `tells a version that is too old for its helper`(version: String, level: String) throws {
    try AgentTree.with { tree in
      try tree.directory.writeProgram(
        "home/git",
        "[ \"$1\" = --version ] && { echo git version \(version); exit; }\nexec /usr/bin/git \"$@\"")
      let path = "\(tree.path("home")):\(try #require(Programs.folder)):/usr/bin:/bin"
      try #require(
        tree.shell("sh", "/usr/bin/git config --global credential.helper '!agent helper git'").succeeded)
      let found = try Self.findings("program", tree, ["PATH": path])
      #expect(found.count == 1 && found[0].hasPrefix("\(level) ~/git"), "\(found)")
      #expect(found.first?.contains(level == "ok" ? ", version " : "it accepts tokens only as passwords") == true)
    }
  }

  @Test(arguments: [
    ("kubectl", "Client Version: v1.20.5", "warn"), ("kubectl", "Client Version: v1.32.4", "ok"),
    ("pip", "pip 23.0.1 from x", "warn"), ("pip", "pip 26.3 from x", "ok"),
  ])
  func `tells other programs that are too old`(client: String, says: String, level: String) throws {
    try AgentTree.with { tree in
      try #require(
        tree.agent(
          "account", "add", "work", "--issuer", "https://id.example", "--client-id", "x", "--host", "a.example"
        ).succeeded)
      let script = """
        printf '#!/bin/sh\\necho "\(says)"\\n' >\(client); chmod +x \(client); mkdir .kube
        [ \(client) = pip ] || agent setup kubectl --host a.example >.kube/config
        [ \(client) = kubectl ] || agent setup pip --host a.example --yes
        """
      try #require(tree.shell("sh", script).succeeded)
      let path = "\(tree.path("home")):\(try #require(Programs.folder)):/usr/bin:/bin"
      let found = try Self.findings("program", tree, ["PATH": path], status: 1)
      #expect(found.count == 1 && found[0].hasPrefix("\(level) ~/\(client)"), "\(found)")
    }
  }

  @Test func `tells what was changed since setup wrote it`() throws {
    try AgentTree.with { tree in
      try #require(
        tree.agent(
          "account", "add", "work", "--issuer", "https://id.example", "--client-id", "x", "--host", "git.example.com"
        )
        .succeeded)
      try #require(tree.agent("setup", "docker", "--yes").succeeded)
      let path = "\(tree.path("data")):\(try #require(Programs.folder)):/usr/local/bin:/usr/bin:/bin"
      try #require(
        tree.shell("sh", "mkdir ../data; ln -s '\(Programs.path("agent"))' ../data/docker-credential-agent").succeeded)
      let good = try Self.findings("setup", tree, ["PATH": path], status: 1)
      #expect(good == ["ok docker https://git.example.com is set up: ~/.docker/config.json"])
      try tree.directory.write("home/.docker/config.json", "{}")
      let changed = try Self.findings("setup", tree, ["PATH": path], status: 1)
      #expect(
        changed == [
          "warn docker https://git.example.com was changed in ~/.docker/config.json after setup;"
            + " try: agent setup docker --host https://git.example.com"
        ])
    }
  }

  @Test func `tells a program in what setup wrote that is gone`() throws {
    try AgentTree.with { tree in
      try #require(
        tree.agent(
          "account", "add", "work", "--issuer", "https://id.example", "--client-id", "x", "--host", "git.example.com"
        ).succeeded)
      // As left by an update that moves the program.
      let copied = try "mkdir bin; cp '\(Programs.path("agent"))' bin; bin/agent setup git --yes; rm bin/agent"
      let made = try tree.shell("sh", copied)
      try #require(made.succeeded, "\(made.errorText)")
      let found = try Self.findings("setup", tree, status: 1)
      #expect(
        found == [
          "fail git https://git.example.com runs ~/bin/agent, which does not exist; try: agent setup git --host https://git.example.com"
        ])
    }
  }

  @Test func `tells a name that programs do not find this one by`() throws {
    try AgentTree.with { tree in
      try #require(
        tree.agent(
          "account", "add", "work", "--issuer", "https://id.example", "--client-id", "x", "--host", "pip.example.com"
        ).succeeded)
      let data = tree.path("data")
      let path = "\(data)/agent/bin:\(try #require(Programs.folder)):/usr/bin:/bin"
      let changes = ["XDG_DATA_HOME": data, "PATH": path]
      try #require(tree.agent(["setup", "pip", "--host", "pip.example.com", "--yes"], changes).succeeded)
      #expect(
        try Self.findings("setup", tree, changes, status: 1) == [
          "ok pip is set up: \(tree.path("config"))/pip/pip.conf"
        ])
      let unseen = try Self.findings("setup", tree, ["XDG_DATA_HOME": data], status: 1)
      #expect(
        unseen == [
          "fail keyring in PATH is not \(data)/agent/bin/keyring; try: export PATH=\(data)/agent/bin:\"$PATH\""
        ])
      try #require(tree.shell("sh", "ln -sf /nowhere ../data/agent/bin/keyring").succeeded)
      let broken = try Self.findings("setup", tree, changes, status: 1)
      #expect(broken == ["fail \(data)/agent/bin/keyring does not link to this program; try: agent setup pip"])
      let mended = try tree.agent(["setup", "pip", "--host", "pip.example.com", "--yes"], changes)
      #expect(mended.succeeded, "\(mended.errorText)")
      #expect(try tree.agent(["setup", "--undo"], changes).succeeded)
      #expect(try tree.shell("sh", "test ! -L ../data/agent/bin/keyring").succeeded)
    }
  }

  @Test func `tells helpers of docker and commands of go that stand in the way`() throws {
    try AgentTree.with { tree in
      try #require(
        tree.agent(
          "account", "add", "work", "--issuer", "https://id.example", "--client-id", "x", "--host", "a.example",
          "--host", "b.example"
        ).succeeded)
      try #require(
        tree.shell(
          "sh",
          """
          mkdir .docker theirs ours; echo '{"credHelpers":{"a.example":"agent","b.example":"pass","c.example":"pass"}}' >.docker/config.json
          ln -s '\(Programs.path("agent"))' ours/docker-credential-agent
          for n in docker-credential-agent go; do printf '#!/bin/sh\\n[ "$1" = version ] && { echo go version ${GOIS:-go1.27.3} x; exit; }\\n[ "$2" = GOENV ] && printf "%%s\\n" "$HOME/goenv"\\necho "$GOAUTHS"\\n' >theirs/$n; chmod +x theirs/$n; done
          """
        ).succeeded)
      let rest = "\(try #require(Programs.folder)):/usr/bin:/bin"
      let (ours, theirs) = ("\(tree.path("home"))/ours", "\(tree.path("home"))/theirs")
      let good = try Self.findings("helper", tree, ["PATH": "\(ours):\(rest)"], status: 1)
      #expect(
        good == [
          "ok docker uses this program for a.example",
          "warn docker uses another helper for b.example: pass; try: agent setup docker",
        ])
      let other = try Self.findings("helper", tree, ["PATH": "\(theirs):\(rest)"], status: 1)
      #expect(
        other == [
          "fail docker finds another program named docker-credential-agent: ~/theirs/docker-credential-agent; try: agent setup docker"
        ])
      let none = try Self.findings(
        "helper", tree, ["PATH": "/usr/bin:/bin:\(try #require(Programs.folder))"], status: 1)
      #expect(
        none == ["fail docker looks for docker-credential-agent, which is not in PATH; try: agent setup docker"])
      try #require(tree.shell("sh", "rm -r .docker").succeeded)
      for (value, line) in [
        ("/bin/agent helper go; netrc", "ok go uses this program"),
        ("netrc; /bin/agent helper go", "warn go uses another command first: netrc; try: agent setup go --undo"),
        ("netrc", "warn go does not use this program; try: agent setup go"),
      ] {
        let changes = ["PATH": "\(theirs):\(rest)", "GOAUTHS": value]
        try #require(tree.agent(["setup", "go", "--yes"], changes).succeeded)
        let found = try Self.findings("helper", tree, changes, status: 1)
        #expect(found == [line])
      }
      let older = try Self.findings(
        "program", tree, ["PATH": "\(theirs):\(rest)", "GOAUTHS": "netrc", "GOIS": "go1.22.5"], status: 1)
      #expect(
        older == [
          "warn ~/theirs/go has version 1.22: it does not know GOAUTH; try: install a later version of go"
        ])
    }
  }

  @Test func `tells providers of cargo and keys of AWS that stand in the way`() throws {
    try AgentTree.with { tree in
      try #require(
        tree.agent(
          "account", "add", "work", "--issuer", "https://id.example", "--client-id", "x", "--host", "a.example",
          "--host", "b.example"
        ).succeeded)
      let script = """
        mkdir .cargo .aws
        cat >.cargo/config.toml <<END
        [registries.ours]
        index = "sparse+https://a.example/index/"
        credential-provider = ["agent", "helper", "cargo"]
        [registries."theirs"]
        index = "sparse+https://b.example/"
        credential-provider = "cargo:token"
        [registries.unlisted]
        index = "sparse+https://c.example/"
        credential-provider = "cargo:token"
        END
        printf '[default]\\naws_access_key_id = x\\n[other]\\naws_access_key_id = secret\\n' >.aws/credentials
        """
      try #require(tree.shell("sh", script).succeeded)
      #expect(
        try Self.findings("helper", tree, status: 1) == [
          "ok cargo uses this program for ours",
          "warn cargo uses another provider for theirs, set in ~/.cargo/config.toml; try: agent setup cargo"
            + " --host https://b.example/ --name theirs --print",
        ])
      let nearer = """
        mkdir -p p/.cargo; printf '[registries.ours]\\ncredential-provider = ["cargo:token"]\\n' >p/.cargo/config.toml
        cd p; agent doctor --json | jq -r '.findings[] | select(.check == "helper") | .level + " " + .message'
        """
      let near = try tree.shell("sh", nearer)
      #expect(
        near.lines.contains("warn cargo uses another provider for ours, set in ~/p/.cargo/config.toml"),
        "\(near.outputText) \(near.errorText)")
      try #require(tree.shell("sh", "rm -r .cargo").succeeded)
      let role = "arn:aws:iam::123456789012:role/r"
      let setup = try tree.agent(
        ["setup", "aws", "--host", "a.example", "--role-arn", role, "--name", "other", "--yes"],
        ["AWS_CONFIG_FILE": nil])
      try #require(setup.succeeded, "\(setup.errorText)")
      #expect(
        try Self.findings("helper", tree, status: 1) == [
          "warn aws uses the keys of other from ~/.aws/credentials instead; try: aws configure list --profile other"
        ])
    }
  }

  @Test func `tells places in the settings that no person has confirmed`() throws {
    try Self.signedIn { tree, _ in
      try tree.editSettings { $0["origins"] = ["https://a.example"] }
      let found = try Self.findings("settings", tree)
      #expect(
        found == [
          "warn work may not send its token to https://a.example: the settings file lists it, but it was never confirmed; try: agent account set work --host https://a.example"
        ])
      #expect(try tree.agent("account", "set", "work", "--host", "https://a.example").succeeded)
      #expect(try Self.findings("settings", tree).isEmpty)
    }
  }

  @Test func `tells variables that go before the settings, by their names`() throws {
    try AgentTree.with { tree in
      let names = ["CARGO_REGISTRIES_OURS_CREDENTIAL_PROVIDER", "UV_INDEX_OURS_PASSWORD", "NETRC", "AWS_ROLE_ARN"]
      let found = try Self.findings("variable", tree, Dictionary(uniqueKeysWithValues: names.map { ($0, "secret-x") }))
      #expect(Set(found) == Set(names.map { "warn \($0) is set and overrides the settings; try: unset \($0)" }))
    }
  }

  @Test func `tells another program of this name, and a socket that was left behind`() throws {
    try AgentTree.with { tree in
      let ours = try #require(Programs.folder)
      try #require(
        tree.shell("sh", "printf '#!/bin/sh\\n' >agent; chmod +x agent; mkdir -p -m 700 \"$XDG_RUNTIME_DIR/agent\"")
          .succeeded)
      let other = "\(tree.path("home")):"
      for (path, line, hint) in [
        ("\(other)\(ours):/usr/bin:/bin", "warn another program comes first: ~/agent; ", "; try: export PATH="),
        (
          "\(ours):\(other)/usr/bin:/bin", "warn PATH also contains another program of this name: ~/agent; ",
          "try: type -a"
        ),
        ("/usr/bin:/bin", "ok /", "/agent, which is not in PATH"),
        ("\(ours):/usr/bin:/bin", "ok \(ours)/agent", ""),
      ] {
        let found = try Self.findings("path", tree, ["PATH": path])
        #expect(found.count == 1 && found[0].hasPrefix(line) && (hint.isEmpty || found[0].contains(hint)), "\(found)")
      }
      let helpless = try Self.findings("environment", tree, ["HOME": "here"], status: 1)
      #expect(helpless.first?.hasPrefix("fail HOME is not set to an absolute path; try: export HOME=") == true)
      try #require(tree.agent("daemon", "stop").succeeded)
      let socket = tree.path("runtime/agent/agent.sock")
      let python = "import socket; s = socket.socket(socket.AF_UNIX); s.bind('\(socket)')"
      try #require(tree.shell("python3", python).succeeded)
      let found = try Self.findings("socket", tree)
      #expect(found == ["ok \(socket) was left by a daemon that is no longer running"], "\(found)")
    }
  }

  @Test(.enabled(if: Machine.userID == 0, "only root can create files of another user"))
  func `tells a home and a runtime directory of another user`() throws {
    try AgentTree.with { tree in
      let other = tree.path("other")
      try #require(tree.shell("sh", "mkdir -p ../other/run; chown -R 4711 ../other; chmod 700 ../other/run").succeeded)
      let home = try Self.findings("environment", tree, ["HOME": other], status: 1)
      #expect(
        home.count == 1 && home[0].hasPrefix("fail HOME is ") && home[0].hasSuffix("use sudo -H"), "\(home)")
      let run = try Self.findings("directory", tree, ["XDG_RUNTIME_DIR": "\(other)/run"], status: 1)
      #expect(
        run.count == 1 && run[0].hasPrefix("warn XDG_RUNTIME_DIR: ")
          && run[0].hasSuffix("; try: unset XDG_RUNTIME_DIR"),
        "\(run)")
    }
  }
}
