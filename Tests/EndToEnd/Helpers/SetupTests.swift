import Encoding
import Platform
import TestSupport
import Testing

/// The real programs sign in with the configurations that `agent setup` writes.
@Suite(.needsPrograms) struct `Setup` {
  /// Sets a client up twice, runs `use`, and undoes the setup. The file is restored, with its mode and the link to
  /// it.
  private static func check(
    _ client: String, _ file: String, _ content: String?, on server: TokenServer, use: String,
    _ changes: [String: String?] = [:]
  ) throws {
    let path = try #require(file.split(separator: "/").last.map(String.init))
    if let content {
      try server.tree.directory.write("kept", content)
    }
    let result = try server.run(
      """
      PATH="$PATH:$XDG_DATA_HOME/agent/bin"; file="\(file)"; mkdir -p "${file%/*}" dotfiles
      if [ -e ../kept ]; then
        cp ../kept dotfiles/\(path); chmod 640 dotfiles/\(path); ln -s ~/dotfiles/\(path) "$file"
      fi
      agent setup \(client) --yes 2>first; cp "$file" once
      agent setup \(client) --yes 2>second; cmp once "$file"; grep -q 'is already set up' second
      agent setup \(client) --test 2>third || { cat third >&2; exit 1; }
      if [ -e ../kept ]; then test -L "$file"; test "$(stat -Lc %a "$file")" = 640; fi
      \(use)
      agent setup \(client) --undo
      agent setup --undo 2>&1 | grep -q 'none of this is set up'
      if [ -e ../kept ]; then
        cmp ../kept "$file"; test -L "$file"; test "$(stat -Lc %a "$file")" = 640
      else
        test ! -e "$file"
      fi
      test -z "$(ls -A "$XDG_DATA_HOME/agent/bin" 2>/dev/null)"
      """, changes.merging(["XDG_DATA_HOME": server.tree.path("data")]) { $1 })
    #expect(result.succeeded, "\(client) \(content ?? "-"): \(result.errorText)")
  }

  private static let store = "[credential]\n\thelper = store\n"

  @Test(arguments: [
    nil, "\(store)# a comment\n", "\(store)[user]\n\tname = x ; no end", "\(store.replacing("\n", with: "\r\n"))",
    "\(store)[user]\n\tname = \"a \\\n  b\"\n\n\n", "\(store)[user]\n\tname = x\\",
  ]) func `has git get in, and another helper keep no token`(content: String?) throws {
    try TokenServer.with { server in
      try Self.check(
        "git --host $URL", "$HOME/.gitconfig", content, on: server,
        use: "git clone -q $URL/git/x.git work; test ! -e ~/.git-credentials")
      #expect(try server.run("rm -rf .gitconfig dotfiles work").succeeded)
      try Self.check(
        "git --host $URL/git --account work", "$XDG_CONFIG_HOME/git/config", content ?? "", on: server,
        use: "git clone -q $URL/git/x.git again; test ! -e ~/.git-credentials",
        ["XDG_CONFIG_HOME": server.tree.path("config")])
    }
  }

  @Test(.needs(client: "docker"), arguments: [nil, "{\n\t\"auths\": {}\n}", "{}", "{ \"credHelpers\" : { } }\n"])
  func `has docker get in`(content: String?) throws {
    try TokenServer.with { server in
      try Self.check(
        "docker --host $URL", "$HOME/.docker/config.json", content, on: server,
        use: "docker manifest inspect --insecure $HOST/app:latest >/dev/null")
    }
  }

  @Test(.needs(client: "skopeo")) func `has skopeo get in, and two registries go in any order`() throws {
    try TokenServer.with { server in
      let result = try server.run(
        """
        mkdir .docker; printf '{"auths":{"old.example":{"auth":"c2VjcmV0"}}}' >.docker/config.json; cp .docker/config.json before
        agent setup docker --host $PLAIN --yes; cp .docker/config.json one
        agent setup docker --host $URL --yes; cp "$XDG_STATE_HOME/agent/setup.json" notes
        skopeo inspect --raw --tls-verify=false docker://$PLAIN_HOST/app:latest | grep -q schemaVersion
        agent setup docker --host $PLAIN --undo; grep -q $HOST .docker/config.json
        agent setup docker --undo; cmp before .docker/config.json
        """, ["XDG_RUNTIME_DIR": server.tree.path("runtime")])
      #expect(result.succeeded, "\(result.errorText)")
      // The original content of the file is neither shown nor recorded.
      #expect(!result.errorText.contains("c2VjcmV0"))
      let notes = try server.tree.directory.readText("home/notes")
      #expect(notes.contains("docker") && !notes.contains("c2Vj"), "\(notes)")
    }
  }

  private static let role = "arn:aws:iam::123456789012:role/r"

  @Test(.needs(client: "aws"), arguments: [nil, "[default]\nregion = eu-west-1\n# end"])
  func `has the AWS command line get in`(content: String?) throws {
    try TokenServer.with("--id-token-lifetime", "3600") { server in
      try Self.check(
        "aws --host $PLAIN/aws --role-arn \(Self.role) --name tests", "$HOME/.aws/config", content, on: server,
        use: """
          test "$(aws --profile tests --endpoint-url "$PLAIN/aws" --region eu-west-1 sts get-caller-identity --query Account --output text)" = 123456789012
          """, ["AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": nil])
    }
  }

  @Test(
    .needs(client: "cargo"),
    arguments: [
      nil, "[net]\nretry = 2", "[registries . \"theirs\"]\nindex = \"sparse+URL/index/\"\n\n[net]\nretry = 2\n",
      "[net]\nretry = 2\n[registries.ours]\nindex = \"sparse+URL/index/\" # ours",
    ])
  func `has cargo get in`(content: String?) throws {
    let cargo = try #require(ClientProgram.cargo)
    try TokenServer.with { server in
      let name = content?.contains("theirs") == true ? "theirs" : "ours"
      try Self.check(
        "cargo --host $URL/index\(name == "ours" ? " --name ours" : "")", "$HOME/.cargo/config.toml",
        content?.replacing("URL", with: server.url), on: server,
        use: """
          mkdir -p p/src; echo 'fn main() {}' >p/src/main.rs
          printf '[package]\\nname="p"\\nversion="0.1.0"\\nedition="2021"\\n[dependencies]\\nhelped={version="1",registry="\(name)"}\\n' >p/Cargo.toml
          cd p; PATH="$PATH:\(cargo.folder)" cargo fetch -q; grep -q 'name = "helped"' Cargo.lock; cd ..
          """,
        ["RUSTUP_HOME": cargo.toolchains, "RUSTUP_TOOLCHAIN": nil, "CARGO_HOME": server.tree.path("home/.cargo")])
    }
  }

  @Test(
    .needs(client: "go"), arguments: [nil, "GOFLAGS=-modcacherw\n# a comment\n", "GOAUTH=netrc\nGOFLAGS=-modcacherw"])
  func `has go get in before an old password, and keeps what GOAUTH had`(content: String?) throws {
    try TokenServer.with { server in
      try Self.check(
        "go", "$XDG_CONFIG_HOME/go/env", content, on: server,
        use: """
          test "$(go env GOAUTH)" = "$(command -v agent) helper go; netrc"
          if GOAUTH=netrc agent setup go --test 2>test; then exit 9; fi; grep -q 'hint: unset GOAUTH' test
          GOAUTH="$(go env GOAUTH)" agent setup go --test
          printf 'machine 127.0.0.1 login me password wrong\\n' >.netrc; chmod 600 .netrc
          mkdir -p m; cd m; printf 'module m\\n' >go.mod; go mod download -modcacherw example.test/helped@v1.0.0; cd ..
          """,
        [
          "GOPROXY": "\(server.url)/proxy", "GONOSUMDB": "*", "GOTOOLCHAIN": "local", "GOENV": nil, "GOAUTH": nil,
          "XDG_CONFIG_HOME": server.tree.path("config"),
        ])
    }
  }

  @Test(
    .needs(client: "pip"),
    arguments: [
      nil, "[install]\nno-compile = true", "# x\n[global]\ntimeout = 20\n",
      "[global]\n    timeout = 20\n    retries = 1\n",
    ])
  func `has pip get in`(content: String?) throws {
    try TokenServer.with { server in
      try Self.check(
        "pip --host $URL", "$XDG_CONFIG_HOME/pip/pip.conf", content, on: server,
        use: """
          pip install -q --disable-pip-version-check --no-input --no-cache-dir --cert '\(server.authorityPath)' --target out \\
            --index-url "https://$HOST/simple/" helpedwheel
          grep -q 42 out/helpedwheel.py
          """, ["PIP_CONFIG_FILE": nil, "PIP_INDEX_URL": nil, "PYTHONPATH": nil])
    }
  }

  @Test(.needs(client: "uv"), arguments: [nil, "offline = false\n[pip]\nno-build = false\n"])
  func `has uv get in`(content: String?) throws {
    try TokenServer.with { server in
      try Self.check(
        "uv --host $URL", "$XDG_CONFIG_HOME/uv/uv.toml", content, on: server,
        use: """
          uv pip install -q --no-cache --target out --default-index "https://me@$HOST/simple/" --python "$(command -v python3)" helpedwheel
          grep -q 42 out/helpedwheel.py
          """)
    }
  }

  @Test func `writes an MCP server, and prints what a mail program needs`() throws {
    try TokenServer.with { server in
      try Self.check(
        "mcp --host $URL/mcp --name ours", "$HOME/.claude.json", "{\n  \"numStartups\": 3,\n  \"mcpServers\": {}\n}\n",
        on: server,
        use: """
          test "$(jq -c '.mcpServers.ours | [.type, .args]' .claude.json)" = '["stdio",["mcp","\(server.url)/mcp"]]'
          call='{"jsonrpc":"2.0","id":1,"method":"ping"}'
          echo "$call" | "$(jq -r .mcpServers.ours.command .claude.json)" mcp \(server.url)/mcp | jq -e '.id == 1'
          """)
      let place = "imaps://imap.example.com"
      #expect(try server.tree.agent("account", "set", "work", "--host", "\(place) user=me@example.com").succeeded)
      for client in ["mbsync", "neomutt", "aerc"] {
        let result = try server.tree.agent("setup", client, "--host", place)
        #expect(result.succeeded && result.outputText.contains("/agent token work --no-input"), "\(result.errorText)")
        #expect(result.outputText.contains(client == "aerc" ? "me%40example.com@imap.example.com" : "me@example.com"))
        let missing = try server.tree.agent("setup", client, "--host", place, "--test")
        #expect(missing.failed(1) && missing.errorText.contains("agent setup \(client) --host"), "\(missing.errorText)")
        let file = ["mbsync": "home/.mbsyncrc", "neomutt": "home/.neomuttrc", "aerc": "config/aerc/accounts.conf"]
        let pasted = try server.run(
          "mkdir -p \"$XDG_CONFIG_HOME/aerc\"; agent setup \(client) --host \(place) >'\(server.tree.path(try #require(file[client])))'"
        )
        #expect(pasted.succeeded, "\(pasted.errorText)")
        let test = try server.tree.agent("setup", client, "--host", place, "--test")
        #expect(test.succeeded, "\(test.errorText)")
      }
      let other = try server.tree.agent("setup", "msmtp", "--host", place)
      #expect(!other.succeeded, "\(other.errorText)")
    }
  }

  @Test(.needs(client: "kubectl")) func `prints what kubectl reads`() throws {
    try TokenServer.with { server in
      let result = try server.run(
        """
        { printf 'apiVersion: v1\\nkind: Config\\ncurrent-context: c\\ncontexts: [{name: c, context: {cluster: k, user: work}}]\\n'
          printf 'clusters: [{name: k, cluster: {server: "%s", certificate-authority: "%s"}}]\\n' "$URL" '\(server.authorityPath)'
          agent setup kubectl --host $URL; } >kubeconfig
        if KUBECONFIG=$PWD/none agent setup kubectl --host $URL --test; then exit 9; fi
        KUBECONFIG=$PWD/kubeconfig agent setup kubectl --host $URL --test
        kubectl --kubeconfig kubeconfig get --raw /healthz
        """)
      #expect(result.succeeded && result.outputText == "ok", "\(result.errorText)")
    }
  }

  @Test(arguments: [
    ("git", "git.example.com"), ("docker", "git.example.com"), ("cargo", "git.example.com"), ("mcp", "git.example.com"),
    ("kubectl", "git.example.com"),
  ])
  func `--test fails where the program would not ask`(client: String, host: String) throws {
    try Session.with { session in
      let tree = session.tree
      try #require(tree.agent("account", "set", "work", "--host", host).succeeded)
      // Another helper that has a password for the URL proves nothing.
      let script = """
        git config --global credential.helper '!f() { echo username=x; echo password=y; }; f'
        mkdir .docker; echo '{"credHelpers":{"\(host)":"other"}}' >.docker/config.json
        """
      try #require(tree.shell("sh", script).succeeded)
      let result = try tree.agent("setup", client, "--host", host, "--test")
      #expect(result.failed(1), "\(result.errorText)")
      #expect(
        result.errorText.contains("\(client) https://\(host) is not set up")
          && result.errorText.contains("hint: agent setup \(client) --host \(host)"), "\(result.errorText)")
    }
  }

  @Test func `--test fails where git would ask another helper first`() throws {
    try Session.with { session in
      let tree = session.tree
      try #require(tree.agent("account", "set", "work", "--host", "git.example.com").succeeded)
      let script = """
        git config --global credential.helper '!f() { echo username=x; echo password=y; }; f'
        git config --global credential.https://git.example.com.helper '!agent helper git'
        """
      try #require(tree.shell("sh", script).succeeded)
      let words = ["setup", "git", "--host", "git.example.com", "--test"]
      let result = try tree.agent(words)
      #expect(result.failed(1) && result.errorText.contains("is not set up"), "\(result.errorText)")
      // An empty helper before ours discards the others.
      let mended = "git config --global --replace-all credential.helper ''"
      try #require(tree.shell("sh", mended).succeeded)
      #expect(try tree.agent(words).succeeded)
    }
  }

  @Test func `lists the programs that are here, and which are set up`() throws {
    try Self.withPlace { tree in
      let path = "\(tree.path("home")):\(try #require(Programs.folder)):/usr/bin:/bin"
      try #require(
        tree.shell("sh", "for n in uv kubectl; do printf '#!/bin/sh\\n' >$n; chmod +x $n; done").succeeded)
      try #require(tree.agent(["setup", "uv", "--host", "git.example.com", "--yes"], ["PATH": path]).succeeded)
      let result = try tree.agent(["setup"], ["PATH": path])
      let lines = result.lines.map { $0.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ") }
      #expect(lines.contains("uv \(tree.path("home"))/uv set up"), "\(result.outputText)")
      #expect(lines.contains("kubectl \(tree.path("home"))/kubectl add by hand"), "\(result.outputText)")
      #expect(lines.contains { $0.hasPrefix("git /") && $0.hasSuffix("/git not set up") }, "\(result.outputText)")
      #expect(!result.outputText.contains("claude"))
      try #require(tree.shell("sh", "echo >\"$XDG_CONFIG_HOME/uv/uv.toml\"").succeeded)
      let changed = try tree.agent(["setup"], ["PATH": path])
      #expect(changed.outputText.contains("set up, changed after setup"), "\(changed.outputText)")
    }
  }

  @Test(arguments: [("pip", "PIP_CONFIG_FILE"), ("uv", "UV_CONFIG_FILE")])
  func `writes the file that the environment names`(client: String, variable: String) throws {
    try Self.withPlace { tree in
      let path = tree.path("home/mine")
      let words = ["setup", client, "--host", "git.example.com", "--yes"]
      try #require(tree.agent(words, [variable: path]).succeeded)
      #expect(String(decoding: try tree.directory.read("home/mine"), as: UTF8.self).contains("subprocess"))
      #expect(try tree.shell("sh", "test ! -e \"$XDG_CONFIG_HOME/\(client)\"").succeeded)
      #expect(try tree.agent("setup", "--undo").succeeded)
      #expect(try tree.shell("sh", "test ! -e mine").succeeded)
      let none = try tree.agent(words, [variable: "/dev/null"])
      #expect(
        none.failed(1) && none.errorText.contains("\(client) reads no settings file: \(variable) is /dev/null"))
    }
  }

  // MARK: Unchanged files

  /// A tree whose account lists an origin, without a session.
  private static func withPlace(_ body: (AgentTree) throws -> Void) throws {
    try AgentTree.with { tree in
      let made = try tree.agent("account", "add", "work", "--issuer", "https://id.example", "--client-id", "x")
      try #require(made.succeeded)
      try #require(tree.agent("account", "set", "work", "--host", "git.example.com").succeeded)
      try body(tree)
    }
  }

  /// Expects that the setup with this file fails and changes nothing.
  private static func refuse(
    _ client: String, _ file: String, _ content: [UInt8], _ reason: String, _ tree: AgentTree
  ) throws {
    _ = try ProcessRunner.shell("mkdir -p \"$(dirname '\(tree.path(file))')\"")
    try tree.directory.write(file, content)
    for options in [["--yes"], ["--dry-run"]] {
      let result = try tree.agent(["setup", client, "--host", "git.example.com"] + options)
      #expect(result.failed(1) && result.errorText.contains(reason), "\(client): \(result.errorText)")
    }
    #expect(try tree.directory.read(file) == content)
    #expect(try tree.json("setup", "--undo")["undone"]?.array?.isEmpty == true)
  }

  @Test func `leaves a key that is there`() throws {
    try Self.withPlace { tree in
      for text in [
        "[credential \"https://git.example.com\"]\n\thelper = store\n",
        "[Credential \"https://git.example.com/\"]\n\tHelper = !secret\n",
      ] {
        try Self.refuse("git", "home/.gitconfig", Array(text.utf8), ".helper and was not changed", tree)
      }
      let docker = Array(#"{"credHelpers":{"git.example.com":"other"}}"#.utf8)
      try Self.refuse("docker", "home/.docker/config.json", docker, "already has credHelpers.git.example.com", tree)
      try Self.refuse("uv", "config/uv/uv.toml", Array("keyring-provider = 'disabled'\n".utf8), "already", tree)
      try Self.refuse("pip", "config/pip/pip.conf", Array("[global]\nkeyring_provider: import\n".utf8), "already", tree)
      let same = Array("[global]\nkeyring-provider = subprocess\n".utf8)
      try tree.directory.write("config/pip/pip.conf", same)
      #expect(try tree.agent("setup", "pip", "--yes").succeeded)
      #expect(try tree.directory.read("config/pip/pip.conf") == same)
      #expect(try tree.agent("setup", "--undo").succeeded)
      #expect(try tree.directory.read("config/pip/pip.conf") == same)
    }
  }

  @Test func `refuses what it cannot read by the letter`() throws {
    try Self.withPlace { tree in
      let file = "home/.docker/config.json"
      for text in ["", "{", "// comment\n{}", "{\"a\":1,}", "{}{}"] {
        try Self.refuse("docker", file, Array(text.utf8), "it is not JSON", tree)
      }
      try Self.refuse("docker", file, Array("[]".utf8), "a format that setup does not change", tree)
      try Self.refuse("docker", file, Array("{\"credHelpers\":[]}".utf8), "a format that setup does not change", tree)
      let twice = Array("{\"credHelpers\":{},\"credHelpers\":{}}".utf8)
      try Self.refuse("docker", file, twice, "a format that setup does not change", tree)
      for bytes in [[0x7B, 0xFF, 0x7D], [0xEF, 0xBB, 0xBF, 0x7B, 0x7D], [0x7B, 0, 0x7D]] as [[UInt8]] {
        try Self.refuse("docker", file, bytes, "it is not UTF-8 text", tree)
      }
      #expect(try tree.shell("sh", "truncate -s 129M .docker/config.json").succeeded)
      let large = try tree.agent("setup", "docker", "--host", "git.example.com", "--yes")
      #expect(large.failed(1) && large.errorText.contains("is longer than 128 MiB"), "\(large.errorText)")
      #expect(large.errorText.contains("hint: agent setup docker --host git.example.com --print\n"))
      try Self.refuse("git", "home/.gitconfig", Array("[user\n".utf8), "cannot read its settings", tree)
      for text in ["[registries]\n", "registries.a.index = 'x'\n", "x = \"\"\"\n[registries.a]\n\"\"\"\n"] {
        try Self.refuse(
          "cargo", "home/.cargo/config.toml", Array(text.utf8), "a format that setup does not change", tree)
      }
    }
  }

  @Test func `follows links by the rules of the settings file`() throws {
    try Self.withPlace { tree in
      let cases = [
        ("ln -s nowhere .gitconfig", "a symbolic link to a file that does not exist"),
        ("echo >x; chmod 666 x; ln -s x .gitconfig", "may be changed by other users"),
        ("mkdir -m 777 y; echo >y/x; ln -s y/x .gitconfig", "may be changed by other users"),
        ("mkdir .gitconfig", "is not a regular file"), ("mkfifo .gitconfig", "is not a regular file"),
      ]
      for (script, reason) in cases {
        #expect(try tree.shell("sh", script).succeeded)
        let result = try tree.agent("setup", "git", "--host", "git.example.com", "--yes")
        #expect(result.failed(1) && result.errorText.contains(reason), "\(result.errorText)")
        #expect(try tree.shell("sh", "rm -rf .gitconfig x y").succeeded)
      }
    }
  }

  @Test func `says what is wrong with its notes, and what helps`() throws {
    try Self.withPlace { tree in
      let words = ["setup", "git", "--host", "git.example.com", "--yes"]
      #expect(try tree.agent(words).succeeded)
      let file = "\"$XDG_STATE_HOME/agent/setup.json\""
      for (change, reason, hint) in [
        ("chmod 644 \(file)", "setup.json is open to other users (mode 644)", "hint: chmod 600 '"),
        ("cp \(file) kept; echo '{' >\(file)", "setup.json is damaged", "hint: to start over: mv "),
        ("sed 's/\"version\":1/\"version\":2/' kept >\(file)", "setup.json was written by a later version", ""),
      ] {
        #expect(try tree.shell("sh", change).succeeded)
        for words in [["setup"], words, ["setup", "--undo"]] {
          let result = try tree.agent(words)
          #expect(
            result.failed(1) && result.errorText.contains(reason) && result.errorText.contains(hint),
            "\(result.errorText)")
        }
        #expect(try tree.shell("sh", "chmod 600 \(file)").succeeded)
      }
      #expect(try tree.shell("sh", "cp kept \(file)").succeeded)
      #expect(try tree.agent("setup", "--undo").succeeded)
    }
  }

  @Test func `finds a mail server by its host, whatever it is for`() throws {
    try Self.withPlace { tree in
      let place = "submission://smtp.example.com user=me@example.com"
      try #require(tree.agent("account", "set", "work", "--host", place).succeeded)
      let result = try tree.agent("setup", "neomutt", "--host", "smtp.example.com")
      #expect(result.succeeded && result.outputText.contains("set smtp_url = "), "\(result.errorText)")
    }
  }

  @Test func `names what was changed since, and takes out the rest`() throws {
    try Self.withPlace { tree in
      #expect(try tree.agent("setup", "git", "--host", "git.example.com", "--yes").succeeded)
      #expect(try tree.agent("setup", "docker", "--host", "git.example.com", "--yes").succeeded)
      #expect(try tree.agent("setup", "uv", "--host", "git.example.com", "--yes").succeeded)
      let changed = try tree.shell(
        "sh",
        "sed -i 's/helper = .*git$/helper = mine/' .gitconfig; cp .gitconfig mine; : >\"$XDG_CONFIG_HOME/uv/uv.toml\"")
      #expect(changed.succeeded)
      let listed = try tree.json("setup")["clients"]?.array?.first { $0["client"] == "git" }
      #expect(listed?["set_up"]?.array?.first?["state"] == "changed")
      let result = try tree.agent("setup", "--undo")
      #expect(result.failed(1), "\(result.errorText)")
      #expect(result.errorText.contains("git https://git.example.com was changed after setup and remains in "))
      #expect(result.errorText.contains("removed docker https://git.example.com from "))
      #expect(result.errorText.contains("uv is no longer in "))
      #expect(try tree.shell("sh", "cmp .gitconfig mine; test ! -e .docker/config.json").succeeded)
      #expect(try tree.agent("setup", "--undo").failed(1))
      #expect(try tree.shell("sh", "rm .gitconfig").succeeded)
      #expect(try tree.agent("setup", "--undo").succeeded)
      #expect(try tree.json("setup", "--undo")["undone"]?.array?.isEmpty == true)
    }
  }

  @Test(arguments: [("y", 0), ("n", 1), ("", 1)]) func `asks on the terminal`(answer: String, status: Int) throws {
    try Self.withPlace { tree in
      let program = try WatchedProgram(
        tree, columns: 200, ["NO_COLOR": "1"], [Programs.path("agent"), "setup", "git"])
      let screen = try program.until("[y/N]")
      #expect(screen.rows.contains("+ [credential \"https://git.example.com\"]"), "\(screen.rows)")
      #expect(try tree.shell("sh", "test ! -e .gitconfig").succeeded)
      if !answer.isEmpty { try program.type(answer) }
      try program.type("^M")
      #expect(try program.end().status == status)
      #expect(try tree.shell("sh", "test -e .gitconfig").succeeded == (status == 0))
    }
  }

  @Test(arguments: [true, false]) func `offers on the terminal to permit the host`(isPermitted: Bool) throws {
    try Self.withPlace { tree in
      let program = try WatchedProgram(
        tree, columns: 200, ["NO_COLOR": "1"],
        [Programs.path("agent"), "setup", "git", "--host", "other.example", "--yes"])
      try program.until("work may not send its token to https://other.example. Permit it?")
      try program.type(isPermitted ? "y" : "n")
      try program.type("^M")
      let end = try program.end()
      #expect(end.status == (isPermitted ? 0 : 1), "\(end.rows)")
      let last = isPermitted ? "agent: to try it: agent setup git --host other.example --test" : "agent: hint: "
      #expect(end.rows.last?.hasPrefix(last) == true, "\(end.rows)")
      let origins = try tree.json("account", "show")["settings"]?["origins"]?.array ?? []
      #expect(origins.contains("https://other.example") == isPermitted)
      #expect(try tree.shell("sh", "test -e .gitconfig").succeeded == isPermitted)
    }
  }

  @Test func `shows what it would do before the host is permitted`() throws {
    try Self.withPlace { tree in
      let denied = "agent: work may not send its token to https://other.example; to permit it: "
      for mode in ["--print", "--dry-run"] {
        let result = try tree.agent("setup", "git", "--host", "other.example", mode)
        #expect(
          result.succeeded
            && result.errorText.contains("\(denied)agent account set work --host https://other.example\n"))
        #expect((result.outputText + result.errorText).contains("[credential \"https://other.example\"]"))
      }
      let origins = try tree.json("account", "show")["settings"]?["origins"]?.array ?? []
      #expect(!origins.contains("https://other.example"))
    }
  }

  @Test func `says after --undo that the host may still get tokens, and how to end that`() throws {
    try Self.withPlace { tree in
      let words = ["setup", "git", "--host", "git.example.com"]
      #expect(try tree.agent(words + ["--yes"]).succeeded)
      let result = try tree.agent(words + ["--undo"])
      let note = "agent: work may still send its token to https://git.example.com; to end that: "
      let line = try #require(
        result.errorText.split(separator: "\n").first { $0.hasPrefix(note) }, "\(result.errorText)")
      #expect(try tree.shell("sh", String(line.dropFirst(note.count))).succeeded)
      let origins = try tree.json("account", "show")["settings"]?["origins"]?.array ?? []
      #expect(!origins.contains("https://git.example.com"), "\(origins)")
      #expect(try tree.agent(words + ["--undo"]).errorText == "agent: none of this is set up\n")
    }
  }

  @Test func `says how to end the permissions of several hosts at once`() throws {
    try Self.withPlace { tree in
      let hosts = ["git.example.com", "api.example.com"]
      #expect(try tree.agent("account", "set", "work", "--host", "https://api.example.com").succeeded)
      for host in hosts { #expect(try tree.agent("setup", "git", "--host", host, "--yes").succeeded) }
      let result = try tree.agent("setup", "git", "--undo")
      let lines = result.errorText.split(separator: "\n").filter { $0.contains("; to end that: ") }
      #expect(lines.count == 1, "\(result.errorText)")
      let command = try #require(lines.first?.split(separator: "; to end that: ").last)
      #expect(try tree.shell("sh", String(command)).succeeded)
      let origins = try tree.json("account", "show")["settings"]?["origins"]?.array ?? []
      for host in hosts { #expect(!origins.contains(.string("https://\(host)")), "\(origins)") }
    }
  }

  @Test func `of docker shows the helper's name before the host is permitted`() throws {
    try Self.withPlace { tree in
      let shown = try tree.agent("setup", "docker", "--host", "other.example", "--print")
      #expect(shown.outputText.contains("\"other.example\": \"agent\""), "\(shown.outputText)")
    }
  }

  @Test func `takes no other request for the same, and keeps several profiles apart`() throws {
    try Self.withPlace { tree in
      let role = "arn:aws:iam::1:role/r"
      let aws = ["setup", "aws", "--host", "git.example.com", "--yes"]
      #expect(try tree.agent(aws + ["--role-arn", role, "--name", "one"]).succeeded)
      #expect(try tree.agent(aws + ["--role-arn", role + "2", "--name", "two"]).succeeded)
      let other = try tree.agent(aws + ["--role-arn", role + "3", "--name", "two"])
      #expect(other.failed(1) && other.errorText.contains("is already set up differently"), "\(other.errorText)")
      #expect(other.errorText.contains("hint: agent setup aws --host git.example.com --name two --undo\n"))
      #expect(try tree.agent("setup", "aws", "--host", "git.example.com", "--name", "two", "--undo").succeeded)
      #expect(try tree.shell("sh", "grep -q 'profile one' .aws/config; ! grep -q 'profile two' .aws/config").succeeded)
      let named = try tree.agent("setup", "git", "--account", "work", "--yes")
      #expect(named.succeeded)
      #expect(try tree.agent("setup", "git", "--yes").failed(1))
      #expect(try tree.agent("setup", "--undo").succeeded)
      #expect(try tree.shell("sh", "test ! -e .aws/config; test ! -e .gitconfig").succeeded)
    }
  }

  @Test func `wants a listed place, one account, and a person or --yes`() throws {
    try Self.withPlace { tree in
      let unlisted = try tree.agent("setup", "git", "--host", "other.example", "--yes")
      #expect(unlisted.failed(1), "\(unlisted.errorText)")
      #expect(
        unlisted.errorText.contains(
          "hint: agent account set work --host https://other.example && agent setup git --host https://other.example\n")
      )
      let unasked = try tree.agent("setup", "git", "--host", "git.example.com")
      #expect(unasked.failed(2) && unasked.errorText.contains("hint: agent setup git --host git.example.com --yes"))
      let shown = try tree.agent("setup", "git", "--dry-run")
      #expect(shown.succeeded && shown.errorText.contains("+ [credential \"https://git.example.com\"]\n"))
      #expect(try tree.shell("sh", "test ! -e .gitconfig; test ! -e \"$XDG_STATE_HOME/agent/setup.json\"").succeeded)
      try #require(
        tree.agent("account", "add", "home", "--issuer", "https://id.example", "--client-id", "x").succeeded)
      try #require(tree.agent("account", "set", "home", "--host", "git.example.com").succeeded)
      let two = try tree.agent("setup", "git", "--host", "git.example.com", "--yes")
      #expect(
        two.failed(2) && two.errorText.contains("may send their tokens to https://git.example.com"), "\(two.errorText)")
      let docker = try tree.agent("setup", "docker", "--host", "git.example.com", "--account", "home", "--yes")
      #expect(docker.failed(1) && docker.errorText.contains("cannot choose between them"), "\(docker.errorText)")
      #expect(try tree.agent("setup", "git", "--host", "git.example.com", "--account", "home", "--yes").succeeded)
      let config = try tree.shell("sh", "git config --global --get-all credential.https://git.example.com.helper")
      #expect(config.outputText.hasSuffix("helper git --account home\n") && config.outputText.hasPrefix("\n"))
      for wrong in [["--undo", "--print"], ["--role-arn", "x"], ["--name", "x"]] {
        #expect(try tree.agent(["setup", "git", "--host", "git.example.com"] + wrong).failed(2))
      }
      #expect(try tree.agent("setup", "emacs").failed(2))
      #expect(try tree.agent("setup", "--print").failed(2))
    }
  }
}
