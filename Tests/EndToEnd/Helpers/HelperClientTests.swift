import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `With a helper` {
  private static let useGit =
    "git config --global credential.helper ''; git config --global --add credential.helper agent"
  private static let makeCommit = "cd work; date >file; git add file; git commit -qm one"

  // MARK: git

  @Test(arguments: ["https", "http"]) func `git clones and pushes`(scheme: String) throws {
    try TokenServer.with { server in
      let result = try server.run(
        """
        \(Self.useGit)
        git clone -q \(scheme == "https" ? "$URL" : "$PLAIN")/git/x.git work
        \(Self.makeCommit); git push -q origin HEAD:main; cd ..
        git clone -q \(scheme == "https" ? "$URL" : "$PLAIN")/git/x.git again; cat again/file >/dev/null
        git credential-cache exit 2>/dev/null || :; ls -A ~
        """)
      #expect(result.succeeded, "\(result.errorText)")
    }
  }

  @Test func `no program has the token among its arguments`() throws {
    try TokenServer.with { server in
      try Self.linkKeyring(server)
      let result = try server.run(
        """
        cat >calls <<'END'
        set -e; \(Self.useGit); git clone -q $URL/git/x.git work
        agent helper curl --url $URL/me | curl -sS --fail --cacert '\(server.authorityPath)' -K - $URL/me
        agent helper header --url $URL/me | curl -sS --fail --cacert '\(server.authorityPath)' -H @- $URL/me
        keyring get $URL/simple/ me >/dev/null; echo $HOST | docker-credential-agent get >/dev/null
        END
        strace -f -qq -e trace=execve -s 100000 -o ../trace bash calls
        grep -q git-credential-agent ../trace; grep -q curl ../trace
        """)
      #expect(result.succeeded, "\(result.errorText)")
    }
  }

  @Test func `thirty gits at once cost one refresh`() throws {
    try TokenServer.with("--access-token-lifetime", "63") { server in
      try server.waitUntilEnding()
      let before = try server.session.issuer.count("refreshes")
      let result = try server.run(
        """
        \(Self.useGit)
        for i in $(seq 30); do git clone -q $PLAIN/git/x.git work$i & done; wait
        for i in $(seq 30); do test -d work$i/.git; done
        """)
      #expect(result.succeeded, "\(result.errorText)")
      #expect(try server.session.issuer.count("refreshes") == before + 1)
    }
  }

  @Test func `git gives up at once where the session is over, and says what helps`() throws {
    try TokenServer.with { server in
      try #require(server.run(Self.useGit).succeeded)
      let script = "rm -rf work; git clone -q $URL/git/x.git work"
      try server.expectSignedOut(script)
      let result = try server.run(script)
      #expect(!result.succeeded)
      #expect(result.errorText.contains("agent: error: work is signed out (agent login work)"), "\(result.errorText)")
      #expect(result.errorText.contains("told us to quit"), "\(result.errorText)")
    }
  }

  @Test func `git that is refused has the token renewed, and nobody is signed out`() throws {
    try TokenServer.with { server in
      let first = try server.tree.token()
      let erase = { (password: String) in
        try server.tree.agent(
          ["helper", "git", "erase"], input: "protocol=https\nhost=\(server.host)\nusername=x\npassword=\(password)\n")
      }
      #expect(try erase("another").succeeded)
      #expect(try server.tree.token() == first)
      let result = try erase(first)
      #expect(result.succeeded && result.output.isEmpty && result.errorText.isEmpty)
      #expect(try server.tree.token() != first)
    }
  }

  // MARK: Images

  @Test(.needs(client: "docker")) func `docker reads an image's manifest`() throws {
    try TokenServer.with(details: "user=me") { server in
      let result = try server.run(
        """
        mkdir .docker; printf '{"credHelpers":{"%s":"agent"}}' "$HOST" >.docker/config.json
        docker manifest inspect --insecure $HOST/app:latest
        """)
      #expect(result.succeeded, "\(result.errorText)")
      #expect(try JSON(parsing: result.output)["schemaVersion"]?.int == 2)
      try server.expectSignedOut("docker manifest inspect --insecure $HOST/app:latest")
    }
  }

  @Test(
    .needs(client: "docker"), .needs(client: "skopeo"),
    arguments: [
      "docker manifest inspect --insecure $HOST/app:latest",
      "skopeo inspect --raw --tls-verify=false docker://$HOST/app:latest",
    ])
  func `an identity token is traded at the registry's token service`(line: String) throws {
    try TokenServer.with(details: "user=<token>") { server in
      try server.tree.directory.write("identity", "")
      let result = try server.run(
        """
        mkdir .docker; printf '{"credHelpers":{"%s":"agent"}}' "$HOST" >.docker/config.json
        \(line)
        """, ["XDG_RUNTIME_DIR": server.tree.path("runtime")])
      #expect(result.succeeded && result.outputText.contains("schemaVersion"), "\(result.errorText)")
      var request = try server.nextRequest()
      while request.hasSuffix(" 401") { request = try server.nextRequest() }
      #expect(request == "POST /token refresh_token registry 200")
    }
  }

  @Test(.needs(client: "skopeo")) func `skopeo reads an image's manifest`() throws {
    try TokenServer.with { server in
      let result = try server.run(
        """
        mkdir .docker; printf '{"credHelpers":{"%s":"agent"}}' "$PLAIN_HOST" >.docker/config.json
        skopeo inspect --raw --tls-verify=false docker://$PLAIN_HOST/app:latest
        """, ["XDG_RUNTIME_DIR": server.tree.path("runtime")])
      #expect(result.succeeded, "\(result.errorText)")
      #expect(result.outputText.contains("schemaVersion"))
      try server.expectSignedOut(
        "skopeo inspect --raw --tls-verify=false docker://$PLAIN_HOST/app:latest",
        ["XDG_RUNTIME_DIR": server.tree.path("runtime")])
    }
  }

  // MARK: kubectl

  @Test(.needs(client: "kubectl"), arguments: ["v1", "v1beta1"]) func `kubectl gets in with the ID Token`(
    version: String
  ) throws {
    try TokenServer.with { server in
      let result = try server.run(
        """
        cat >kubeconfig <<END
        apiVersion: v1
        kind: Config
        current-context: c
        contexts: [{name: c, context: {cluster: k, user: u}}]
        clusters: [{name: k, cluster: {server: "$URL", certificate-authority: "\(server.authorityPath)"}}]
        users:
        - name: u
          user:
            exec:
              apiVersion: client.authentication.k8s.io/\(version)
              command: agent
              args: [helper, kubectl]
              interactiveMode: Never
              provideClusterInfo: true
        END
        kubectl --kubeconfig kubeconfig get --raw /healthz
        """)
      #expect(result.succeeded && result.outputText == "ok", "\(result.errorText)")
      try server.expectSignedOut("kubectl --kubeconfig kubeconfig get --raw /healthz")
    }
  }

  // MARK: Packages

  private static func linkKeyring(_ server: TokenServer) throws {
    let made = try ProcessRunner.shell("ln -s '\(Programs.path("agent"))' '\(server.tree.path("names"))/keyring'")
    try #require(made.succeeded)
  }

  private static func installByPip(_ pip: String, _ user: String) throws {
    try TokenServer.with { server in
      try linkKeyring(server)
      let script = """
        \(pip) install -q --disable-pip-version-check --no-input --no-cache-dir --keyring-provider subprocess --retries 0 \\
          --cert '\(server.authorityPath)' --target out --index-url "https://\(user)$HOST/simple/" helpedwheel
        cat out/helpedwheel.py
        """
      let changes = ["PIP_CONFIG_FILE": "/dev/null", "PIP_INDEX_URL": nil, "PYTHONPATH": nil]
      let result = try server.run(script, changes)
      #expect(result.succeeded && result.outputText.hasSuffix("answer = 42\n"), "\(result.errorText)")
      // Later versions do not show the helper's output.
      try server.expectSignedOut("rm -rf out; " + script, changes, isTold: pip != "pip")
    }
  }

  @Test(.needs(client: "pip"), arguments: ["", "me@"]) func `pip installs a package`(user: String) throws {
    try Self.installByPip("pip", user)
  }

  @Test(.needs(client: "pip 23")) func `pip 23 installs a package, asked for with a user name`() throws {
    try Self.installByPip("'\(try #require(ClientProgram.earlierPython))' -m pip", "me@")
  }

  @Test(.needs(client: "uv")) func `uv installs a package`() throws {
    try TokenServer.with { server in
      try Self.linkKeyring(server)
      let script = """
        uv pip install -q --no-cache --no-config --keyring-provider subprocess --target out --default-index "https://me@$HOST/simple/" \\
          --python "$(command -v python3)" helpedwheel
        cat out/helpedwheel.py
        """
      let result = try server.run(script)
      #expect(result.succeeded && result.outputText == "answer = 42\n", "\(result.errorText)")
      try server.expectSignedOut("rm -rf out; " + script)
    }
  }

  @Test(.needs(client: "uv")) func `uv installs a package where it is told to ask without a user name`() throws {
    try TokenServer.with { server in
      try Self.linkKeyring(server)
      let result = try server.run(
        """
        cat >uv.toml <<END
        keyring-provider = "subprocess"
        [[index]]
        url = "$URL/simple/"
        default = true
        authenticate = "always"
        END
        uv pip install -q --no-cache --config-file uv.toml --target out --python "$(command -v python3)" helpedwheel
        cat out/helpedwheel.py
        """)
      #expect(result.succeeded && result.outputText == "answer = 42\n", "\(result.errorText)")
    }
  }

  @Test(
    .needs(client: "cargo"),
    arguments: [
      #"["agent", "helper", "cargo"]"#, #"["cargo-credential-agent"]"#,
      #"["cargo:token-from-stdout", "agent", "helper", "cargo"]"#,
      #"["agent", "helper", "cargo", "--account", "work"]"#,
    ])
  func `cargo fetches a crate`(provider: String) throws {
    let cargo = try #require(ClientProgram.cargo)
    try TokenServer.with { server in
      let changes = [
        "RUSTUP_HOME": cargo.toolchains, "RUSTUP_TOOLCHAIN": nil, "CARGO_HOME": server.tree.path("home/.cargo"),
      ]
      let result = try server.run(
        """
        PATH=$PATH:\(cargo.folder); mkdir -p .cargo p/src; echo 'fn main() {}' >p/src/main.rs
        cat >.cargo/config.toml <<END
        [registries.ours]
        index = "sparse+$URL/index/"
        credential-provider = \(provider)
        END
        printf '[package]\\nname="p"\\nversion="0.1.0"\\nedition="2021"\\n[dependencies]\\nhelped={version="1",registry="ours"}\\n' >p/Cargo.toml
        cd p; cargo fetch -q; grep -A1 'name = "helped"' Cargo.lock
        """, changes)
      #expect(result.succeeded && result.outputText.hasSuffix("version = \"1.0.0\"\n"), "\(result.errorText)")
      try server.expectSignedOut(
        "PATH=$PATH:\(cargo.folder); cd p; rm -rf Cargo.lock ~/.cargo/registry; cargo fetch -q", changes)
    }
  }

  @Test(.needs(client: "go")) func `go downloads a module, and has a refused token renewed once`() throws {
    try TokenServer.with { server in
      let script = """
        export GOAUTH='agent helper go' GOPROXY="$URL/proxy" GONOSUMDB='*' GOFLAGS=-modcacherw GOTOOLCHAIN=local HOME=$PWD
        rm -rf go; mkdir -p m; cd m; printf 'module m\\n' >go.mod; go mod download -x example.test/helped@v1.0.0
        """
      let result = try server.run(script)
      #expect(result.succeeded, "\(result.errorText)")
      let before = try server.session.issuer.count("refreshes")
      try server.refuseToken()
      let again = try server.run(script)
      #expect(again.succeeded, "\(again.errorText)")
      #expect(try server.session.issuer.count("refreshes") == before + 1)
      // go shows its helpers' output only with -x.
      try server.expectSignedOut(script)
    }
  }

  // MARK: Others

  @Test(arguments: [
    "agent helper curl --url $URL/me | curl -sS --fail --cacert $CA -K - $URL/me",
    "agent helper header --url $URL/me | curl -sS --fail --cacert $CA -H @- $URL/me",
    "curl -sS --fail --cacert $CA --netrc-file <(agent helper netrc --url $URL/me) $URL/me",
  ])
  func `curl gets in`(line: String) throws {
    try TokenServer.with { server in
      let script = "set -o pipefail; export CA='\(server.authorityPath)'; \(line)"
      let result = try server.run(script)
      #expect(result.succeeded && result.outputText == "ok", "\(result.errorText)")
      try server.expectSignedOut(script)
    }
  }

  @Test func `curl sends another header where the settings have one`() throws {
    try TokenServer.with(details: "header=PRIVATE-TOKEN:") { server in
      for helper in [
        "curl --url $PLAIN/me | curl -sS --fail -K - $PLAIN/me",
        "header --url $PLAIN | curl -sS --fail -H @- $PLAIN/me",
      ] {
        let result = try server.run("agent helper \(helper)")
        #expect(result.succeeded && result.outputText == "ok", "\(result.errorText)")
        #expect(try server.nextRequest() == "GET /me PRIVATE-TOKEN - 200")
      }
    }
  }

  @Test(.needs(client: "go")) func `Google's library exchanges the ID Token`() throws {
    try TokenServer.with { server in
      try server.tree.directory.write(
        "home/exchange.py",
        """
        import os, sys
        import google.auth.transport.requests
        from google.auth import pluggable
        credentials = pluggable.Credentials.from_info({
            "type": "external_account", "audience": "//iam.googleapis.com/locations/global/workforcePools/p/providers/q",
            "subject_token_type": "urn:ietf:params:oauth:token-type:id_token", "token_url": os.environ["URL"] + "/sts",
            "credential_source": {"executable": {"command": "agent helper gcp --account work", "timeout_millis": 10000}}})
        credentials.refresh(google.auth.transport.requests.Request())
        print(credentials.token)
        """)
      let run = "\(try #require(ClientProgram.folder))/python3 exchange.py"
      let changes = ["GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES": "1"]
      let result = try server.run(run, changes)
      #expect(result.succeeded && result.outputText == "exchanged\n", "\(result.errorText)")
      #expect(try server.nextRequest() == "POST /sts subject_token id_token 200")
      try server.expectSignedOut(run, changes)
    }
  }

  // MARK: Mail

  @Test(.needs(client: "dovecot"), arguments: ["XOAUTH2", "OAUTHBEARER"]) func `mail programs sign in`(
    mechanism: String
  ) throws {
    // curl uses the newer one if a server has both.
    try TokenServer.with(mail: true, mechanisms: mechanism.lowercased()) { server in
      let place = "imaps://127.0.0.1:\(try #require(server.mailPorts).imap)"
      #expect(try server.tree.agent("account", "set", "work", "--host", "\(place) user=alice@example.com").succeeded)
      let curl = try server.run(
        "agent helper curl --url $MAIL | curl -sS --cacert \(server.authorityPath) -K - $MAIL/",
        ["MAIL": place])
      #expect(curl.succeeded && curl.outputText.contains("INBOX"), "\(curl.errorText)")
      #expect(try server.nextRequest() == "AUTHENTICATE \(mechanism) alice@example.com 200")
      // Python's own library sends the first message unchanged.
      try server.tree.directory.write(
        "home/mail.py",
        """
        import base64, imaplib, ssl, subprocess, sys
        host, port = sys.argv[2][len("imaps://"):].split(":")
        client = imaplib.IMAP4_SSL(host, int(port), ssl_context=ssl.create_default_context(cafile=sys.argv[3]))
        made = subprocess.run(["agent", "helper", sys.argv[1].lower(), "--url", sys.argv[2]], stdout=subprocess.PIPE, check=True)
        client.authenticate(sys.argv[1], lambda _: base64.b64decode(made.stdout))
        print(client.list()[0])
        """)
      let python = try server.run("python3 mail.py \(mechanism) $MAIL '\(server.authorityPath)'", ["MAIL": place])
      #expect(python.succeeded && python.outputText == "OK\n", "\(python.errorText)")
      #expect(try server.nextRequest() == "AUTHENTICATE \(mechanism) alice@example.com 200")
      try server.expectSignedOut("python3 mail.py \(mechanism) $MAIL '\(server.authorityPath)'", ["MAIL": place])
    }
  }

  // MARK: AWS

  private static let role = "arn:aws:iam::123456789012:role/r"

  @Test(.needs(client: "aws")) func `the AWS command line gets in with credentials of a role`() throws {
    try TokenServer.with("--id-token-lifetime", "3600") { server in
      let script = """
        mkdir -p .aws; printf '[default]\\ncredential_process = agent helper aws --role-arn \(Self.role) --url %s/aws\\n' "$PLAIN" >.aws/config
        aws --endpoint-url "$PLAIN/aws" --region eu-west-1 sts get-caller-identity --query Account --output text
        """
      let changes: [String: String?] = ["AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": nil]
      for _ in 0..<2 {
        let result = try server.run(script, changes)
        #expect(result.succeeded && result.outputText == "123456789012\n", "\(result.errorText)")
      }
      #expect(try server.nextRequest() == "POST /aws AssumeRoleWithWebIdentity \(Self.role) 200")
      #expect(try server.nextRequest() == "POST /aws GetCallerIdentity - 200")
      #expect(try server.nextRequest() == "POST /aws GetCallerIdentity - 200")
      try server.expectSignedOut(script, changes)
    }
  }

  @Test func `a role's credentials are kept for each role, and asked for again in time`() throws {
    try TokenServer.with { server in
      func call(_ options: String...) throws -> ProcessResult {
        try server.tree.agent(["helper", "aws", "--url", server.plainURL + "/aws"] + options)
      }
      let result = try server.run(
        "for i in $(seq 20); do agent helper aws --timeout 5m --url $PLAIN/aws --role-arn \(Self.role) >out$i & done; wait; cat out* | sort | uniq -c | wc -l"
      )
      #expect(result.outputText == "1\n", "\(result.errorText)")
      let answer = try JSON(parsing: call("--role-arn", Self.role).output)
      #expect(answer["Version"]?.int == 1 && answer["AccessKeyId"] == "ASIATESTS")
      #expect(answer["SecretAccessKey"] == "secret/+key" && answer["SessionToken"] == "session+/=token")
      #expect(answer["Expiration"]?.string?.hasSuffix("Z") == true)
      #expect(try call("--role-arn", Self.role + "2").succeeded)
      #expect(try server.nextRequest() == "POST /aws AssumeRoleWithWebIdentity \(Self.role) 200")
      #expect(try server.nextRequest() == "POST /aws AssumeRoleWithWebIdentity \(Self.role)2 200")
    }
  }

  @Test func `a role's credentials come over TLS by the account's own authorities`() throws {
    try TokenServer.with { server in
      let words = ["helper", "aws", "--role-arn", Self.role, "--url", server.url + "/aws"]
      let unknown = try server.tree.agent(words)
      #expect(unknown.failed(1) && unknown.errorText.contains("certificate"), "\(unknown.errorText)")
      try server.tree.signIn(at: server.session.issuer.url, "--ca-file", server.authorityPath)
      try server.list("")
      let known = try server.tree.agent(words)
      #expect(known.succeeded && known.outputText.contains("ASIATESTS"), "\(known.errorText)")
    }
  }

  @Test func `a role's credentials come from a listed place only, and by no redirect`() throws {
    try TokenServer.with { server in
      let redirected = try server.tree.agent(
        "helper", "aws", "--role-arn", Self.role, "--url", server.plainURL + "/aws/redirect")
      #expect(redirected.failed(1), "\(redirected.errorText)")
      #expect(try server.nextRequest() == "POST /aws/redirect AssumeRoleWithWebIdentity \(Self.role) 307")
      try server.refuseToken()
      let unlisted = try server.tree.agent("helper", "aws", "--role-arn", Self.role)
      #expect(unlisted.failed(1) && unlisted.errorText.contains("https://sts.amazonaws.com"), "\(unlisted.errorText)")
      for options in [["--role-arn", "x"], ["--role-arn", Self.role, "--session-name", "a b"], []] {
        let wrong = try server.tree.agent(["helper", "aws", "--url", server.plainURL + "/aws"] + options)
        #expect(wrong.failed(2), "\(wrong.errorText)")
      }
    }
  }
}
