import Encoding
import Platform
import TestSupport
import Testing

/// The recipes of agent-recipes(7), run verbatim except for the reader's own names and the test's certificate, at
/// servers that check the token.
@Suite(.needsPrograms) struct `A recipe of the manual` {
  enum Name: String, CaseIterable {
    case mbsync, msmtp, mutt, aerc, getmail, rclone, wlcg = "WLCG", vdirsyncer
    case aws = "AWS web identity", azure = "Azure workload identity", vault = "Vault", step, cosign
    case enterprise = "Enterprise sign-in"
    // Tested in `A lease in a sandbox without a network`.
    case sandbox = "A sandbox", curl, git, pip, models = "Model APIs", clients = "MCP clients"
    case httpie = "HTTPie", direnv, github = "GitHub Actions", gitlab = "GitLab CI"
  }

  @Test func `is tried below, each of them`() throws {
    #expect(try Set(Manual.recipes().keys) == Set(Name.allCases.map(\.rawValue)))
  }

  private static func lines(_ name: Name, block: Int = 0) throws -> String {
    let blocks = try #require(try Manual.recipes()[name.rawValue])
    try #require(blocks.indices.contains(block))
    return blocks[block].joined(separator: "\n")
  }

  private static func recipe(_ name: Name, block: Int = 0, _ server: TokenServer) throws -> String {
    let lines = try lines(name, block: block)
    var names = [
      ("https://api.example.com/me", "\(server.url)/me"), ("me@example.com", "alice@example.com"),
      ("me%40example.com", "alice%40example.com"),
    ]
    if let ports = server.mailPorts {
      names += [
        ("imap.example.com:993", "localhost:\(ports.imap)"), ("smtp.example.com:465", "localhost:\(ports.submission)"),
        ("imap.example.com", "localhost"), ("smtp.example.com", "localhost"), ("Port 993", "Port \(ports.imap)"),
        ("port = 993", "port = \(ports.imap)"), ("port 465", "port \(ports.submission)"),
      ]
    }
    return names.reduce(lines) { $0.replacing($1.0, with: $1.1) }
  }

  // MARK: Mail

  private static let isRead = "AUTHENTICATE OAUTHBEARER alice@example.com 200"
  private static let isSent = ["AUTH OAUTHBEARER alice@example.com 235", "DATA"]

  /// Runs `body` with a mail server, then makes the program fail, because the session has ended.
  ///
  /// - Parameter isPrinted: Whether to use the output of `agent setup` instead of the manual's lines.
  private static func withMail(
    _ name: Name, isPrinted: Bool, _ body: (TokenServer, String) throws -> Void
  ) throws {
    try TokenServer.with(mail: true) { server in
      try body(server, isPrinted ? try printed(name, server) : try recipe(name, server))
    }
  }

  /// The output of `agent setup` for incoming and outgoing mail, without the duplicate heading.
  private static func printed(_ name: Name, _ server: TokenServer) throws -> String {
    let ports = try #require(server.mailPorts)
    let (far, out) = ("imaps://localhost:\(ports.imap)", "submissions://localhost:\(ports.submission)")
    try #require(
      server.tree.agent(
        "account", "set", "work", "--host", "\(far) user=alice@example.com", "--host", "\(out) user=alice@example.com"
      ).succeeded)
    let places = name == .mbsync ? [far] : name == .msmtp ? [out] : [far, out]
    var lines: [Substring] = []
    for place in places {
      let result = try server.tree.agent("setup", name == .mutt ? "neomutt" : name.rawValue, "--host", place)
      try #require(result.succeeded, "\(result.errorText)")
      lines += result.lines.filter { !lines.contains($0) }
    }
    switch name {
    case .mutt: lines.append("set from = \"alice@example.com\"")
    case .aerc: lines += ["default = INBOX", "from = Me <alice@example.com>"]
    default: break
    }
    return lines.joined(separator: "\n")
  }

  @Test(.needs(client: "dovecot"), .needs(client: "mbsync"), arguments: [false, true]) func `lets mbsync read mail`(
    isPrinted: Bool
  ) throws {
    try Self.withMail(.mbsync, isPrinted: isPrinted) { server, recipe in
      try server.tree.directory.write(
        "home/.mbsyncrc",
        recipe + """

          CertificateFile \(server.authorityPath)

          IMAPStore far
          Account work

          MaildirStore near
          Path ~/mail/
          Inbox ~/mail/INBOX

          Channel work
          Far :far:
          Near :near:
          Create Near
          SyncState *

          """)
      let result = try server.run("mkdir mail; mbsync work")
      #expect(result.succeeded, "\(result.errorText)")
      #expect(try server.nextRequest() == "AUTHENTICATE XOAUTH2 alice@example.com 200")
      try server.expectSignedOut("mbsync work")
    }
  }

  @Test(.needs(client: "dovecot"), .needs(client: "msmtp"), arguments: [false, true]) func `lets msmtp send mail`(
    isPrinted: Bool
  ) throws {
    try Self.withMail(.msmtp, isPrinted: isPrinted) { server, recipe in
      try server.tree.directory.write("home/.msmtprc", recipe + "\ntls_trust_file \(server.authorityPath)\n")
      let script = "chmod 600 .msmtprc; printf 'Subject: x\\n\\nx\\n' | msmtp -a work bob@example.com"
      let result = try server.run(script)
      #expect(result.succeeded, "\(result.errorText)")
      #expect(try [server.nextRequest(), server.nextRequest()] == Self.isSent)
      try server.expectSignedOut(script)
    }
  }

  @Test(
    .needs(client: "dovecot"), .needs(client: "mutt"), .needs(client: "neomutt"),
    arguments: [("mutt", false), ("neomutt", false), ("neomutt", true)])
  func `lets mutt read and send mail`(program: String, isPrinted: Bool) throws {
    try Self.withMail(.mutt, isPrinted: isPrinted) { server, recipe in
      let trust = program == "mutt" ? "ssl_ca_certificates_file" : "certificate_file"
      try server.tree.directory.write(
        "home/.muttrc", recipe + "\nset copy = no\nset \(trust) = \"\(server.authorityPath)\"\n")
      let result = try server.run(
        """
        echo x | \(program) -F "$PWD/.muttrc" -s x bob@example.com
        TERM=xterm timeout 60 script -qefc '\(program) -F "$PWD/.muttrc" -e "push <exit>"' seen </dev/null >&2
        """)
      #expect(result.succeeded, "\(result.errorText)")
      #expect(try [server.nextRequest(), server.nextRequest()] == Self.isSent)
      #expect(try server.nextRequest() == Self.isRead)
      try server.expectSignedOut("echo x | \(program) -F \"$PWD/.muttrc\" -s x bob@example.com")
    }
  }

  @Test(.needs(client: "dovecot"), .needs(client: "aerc"), arguments: [false, true])
  func `lets aerc read and send mail`(
    isPrinted: Bool
  ) throws {
    try Self.withMail(.aerc, isPrinted: isPrinted) { server, recipe in
      #expect(try server.run("mkdir -p \"$XDG_CONFIG_HOME/aerc\"").succeeded)
      try server.tree.directory.write("config/aerc/accounts.conf", recipe + "\n")
      try server.tree.directory.write("config/aerc/aerc.conf", "[compose]\neditor=true\n")
      // The key y sends the message. Other views do not have it.
      let process = try server.start(
        """
        chmod 600 "$XDG_CONFIG_HOME"/aerc/*; { until [ -e sent ]; do printf y; sleep 0.2; done; printf ':quit\\r'; } |
          TERM=xterm timeout 60 script -qefc 'stty rows 30 cols 90; exec aerc "mailto:bob@example.com?subject=x&body=x"' seen >/dev/null
        """)
      let seen = Set(try [server.nextRequest(), server.nextRequest(), server.nextRequest()])
      #expect(seen == Set([Self.isRead] + Self.isSent))
      try server.tree.directory.write("home/sent", "")
      #expect(try process.wait() == .exited(0), "\(process.errorText)")
    }
  }

  @Test(.needs(client: "dovecot"), .needs(client: "getmail")) func `lets getmail read mail`() throws {
    try Self.withMail(.getmail, isPrinted: false) { server, recipe in
      #expect(try server.run("mkdir -p .getmail mail/cur mail/new mail/tmp").succeeded)
      try server.tree.directory.write(
        "home/.getmail/getmailrc",
        recipe + """

          ca_certs = \(server.authorityPath)

          [destination]
          type = Maildir
          path = ~/mail/

          """)
      let result = try server.run("getmail")
      #expect(result.succeeded, "\(result.errorText)")
      #expect(try server.nextRequest() == "AUTHENTICATE XOAUTH2 alice@example.com 200")
      try server.expectSignedOut("getmail", isTold: false)
    }
  }

  // MARK: Files and calendars

  @Test(.needs(client: "rclone")) func `lets rclone copy a file`() throws {
    try TokenServer.with { server in
      #expect(try server.run("mkdir -p \"$XDG_CONFIG_HOME/rclone\"").succeeded)
      let recipe = try Self.recipe(.rclone, server).replacing("https://dav.example.com", with: server.url)
      try server.tree.directory.write("config/rclone/rclone.conf", recipe + "\n")
      let result = try server.run("rclone copyto work:me copy; cat copy")
      #expect(result.outputText == "ok", "\(result.errorText)")
      #expect(try server.nextRequest() == "PROPFIND /me Bearer - 200")
      try server.expectSignedOut("rclone copyto work:me other 2>/dev/null", isTold: false)
    }
  }

  /// The library would verify a JWT, which the issuer's access tokens are not.
  @Test(.needs(client: "scitokens-verify-token"), arguments: [0, 1])
  func `lets a library of the grid find the token`(block: Int) throws {
    try TokenServer.with(keepsToken: true) { server in
      try server.tree.directory.write(
        "home/discover.py",
        """
        from scitokens import SciToken
        SciToken.deserialize = staticmethod(lambda token, *rest: print(token))
        SciToken.discover()
        """)
      let script = try Self.recipe(.wlcg, block: block, server) + "\npython3 discover.py"
      let result = try server.run(script)
      #expect(result.lines.last.map(String.init) == (try server.tree.token()), "\(result.errorText)")
      try server.expectSignedOut(script)
    }
  }

  @Test(.needs(client: "vdirsyncer")) func `lets vdirsyncer read a calendar through a lease`() throws {
    try TokenServer.with { server in
      #expect(try server.run("mkdir -p \"$XDG_CONFIG_HOME/vdirsyncer\" calendar").succeeded)
      try server.tree.directory.write(
        "config/vdirsyncer/config",
        try Self.recipe(.vdirsyncer, server) + """


          [general]
          status_path = "~/status/"

          [storage near]
          type = "filesystem"
          path = "~/calendar/"
          fileext = ".ics"

          [pair both]
          a = "work"
          b = "near"
          collections = null

          """)
      let sync = try Self.recipe(.vdirsyncer, block: 1, server)
        .replacing("https://dav.example.com", with: server.plainURL)
      // The second lease has another port and password.
      let result = try server.run("\(sync)\n\(sync)\ncat calendar/*")
      #expect(result.outputText.contains("UID:event"), "\(result.errorText)")
      #expect(try server.nextRequest() == "PROPFIND /calendars/me/ Bearer - 200")
      try server.expectSignedOut(sync, isTold: false)
    }
  }

  // MARK: Clouds and certificates

  @Test(.needs(client: "aws")) func `lets a library of AWS take the ID Token from a file`() throws {
    try TokenServer.with { server in
      let recipe = try Self.recipe(.aws, server)
      let changes = [
        "AWS_ENDPOINT_URL_STS": server.plainURL + "/aws", "AWS_DEFAULT_REGION": "eu-west-1",
        "AWS_EC2_METADATA_DISABLED": "true",
      ]
      let result = try server.run(recipe, changes)
      #expect(result.succeeded && result.outputText.contains("123456789012"), "\(result.errorText)")
      let role = "arn:aws:iam::123456789012:role/deploy"
      #expect(try server.nextRequest() == "POST /aws AssumeRoleWithWebIdentity \(role) 200")
      #expect(try server.nextRequest() == "POST /aws GetCallerIdentity - 200")
      try Self.expectRefusal(of: recipe, server, changes)
    }
  }

  @Test(.needs(client: "uv")) func `lets a library of Azure take the ID Token from a file`() throws {
    try TokenServer.with { server in
      let recipe = try Self.recipe(.azure, server)
      try server.tree.directory.write(
        "home/program",
        """
        #!/usr/bin/env python3
        from azure.identity import WorkloadIdentityCredential
        print(WorkloadIdentityCredential(disable_instance_discovery=True).get_token("https://management.azure.com/.default").token)
        """)
      let changes = ["AZURE_AUTHORITY_HOST": server.url]
      let result = try server.run("chmod 700 program\n" + recipe, changes)
      #expect(result.succeeded && result.outputText == "exchanged\n", "\(result.errorText)")
      let seen = try server.nextRequest()
      #expect(seen.hasSuffix("/oauth2/v2.0/token client_assertion 66666666-7777-8888-9999-000000000000 200"), "\(seen)")
      try Self.expectRefusal(of: recipe, server, changes)
    }
  }

  /// Debian 12 has none of these programs. The tests' substitute requires the same arguments and forwards the token
  /// unchanged.
  @Test(arguments: [
    (Name.vault, "write auth/jwt/login role=dev jwt=-", "cat"),
    (Name.step, "ca certificate alice@example.com me.crt me.key", #"printf %s "$STEP_TOKEN""#),
    (Name.cosign, "sign-blob --bundle app.sigstore.json app", #"printf %s "$SIGSTORE_ID_TOKEN""#),
  ]) func `gives a program the ID Token outside of its arguments`(name: Name, arguments: String, token: String) throws {
    try TokenServer.with { server in
      let recipe = try Self.recipe(name, server)
      try server.tree.directory.write(
        "home/\(name.rawValue.lowercased())",
        """
        #!/bin/bash
        [ "$*" = '\(arguments)' ] || exit 9
        token=$(\(token); printf .)
        curl -sS -f -H @- "$PLAIN/me" <<< "Authorization: Bearer ${token%.}"
        """)
      let script = "chmod 700 \(name.rawValue.lowercased()); PATH=$PWD:$PATH; set -o pipefail; \(recipe)"
      let result = try server.run(script)
      #expect(result.succeeded, "\(result.errorText)")
      #expect(try server.nextRequest() == "GET /me Bearer - 200")
      try server.expectSignedOut(script)
    }
  }

  private static func expectRefusal(
    of recipe: String, _ server: TokenServer, _ changes: [String: String?] = [:]
  ) throws {
    try server.expectSignedOut("set -o pipefail\n" + recipe, changes)
  }

  // MARK: MCP servers

  @Test func `signs in to an MCP server with the account of the identity provider`() throws {
    try AgentTree.with { tree in
      try Issuer.with { provider in
        let keys = try PlainHTTP.get(port: provider.port, "/jwks").body
        try tree.directory.write("provider.json", String(decoding: keys, as: UTF8.self))
        // This issuer accepts only assertions.
        try Issuer.with(
          approval: "never", ["--platform-jwks", tree.path("provider.json"), "--platform-issuer", provider.url]
        ) { server in
          try tree.signIn("idp", at: provider.url, "--scope", "openid offline_access")
          let names = [
            ("https://mcp.example.com/mcp", "\(server.url)/resource"), ("https://as.example.com", server.url),
            ("my-cli", "agent-cli --allow-http-loopback"),
          ]
          let recipe = try names.reduce(Self.lines(.enterprise)) { $0.replacing($1.0, with: $1.1) }
          let login = try tree.shell("bash", recipe, ["PATH": "\(try #require(Programs.folder)):/usr/bin:/bin"])
          #expect(login.succeeded, "\(login.errorText)")
          let answer = try tree.agent("request", "\(server.url)/resource")
          #expect(answer.outputText.contains(#""subject":"user-alice""#), "\(answer.errorText)")
          #expect(try provider.count("identity_assertions") == 1)
        }
      }
    }
  }

  // MARK: Shells and scripts

  @Test(.needs(client: "http")) func `lets HTTPie make a request`() throws {
    try TokenServer.with { server in
      #expect(try server.run("mkdir -p \"$XDG_CONFIG_HOME/httpie\"").succeeded)
      // HTTPie's input is not a terminal here.
      try server.tree.directory.write(
        "config/httpie/config.json", #"{"default_options": ["--ignore-stdin", "--check-status"]}"#)
      let result = try server.run(try Self.recipe(.httpie, server))
      #expect(result.succeeded, "\(result.errorText)")
      let seen = try server.nextRequest()
      #expect(seen == "GET /me Bearer - 200", "\(seen)")
    }
  }

  @Test(.needs(client: "direnv")) func `has direnv set the variables of a folder`() throws {
    try TokenServer.with { server in
      try server.tree.directory.write("home/.envrc", try Self.recipe(.direnv, server) + "\n")
      let result = try server.run("direnv allow; direnv exec . printenv AGENT_ACCESS_TOKEN")
      #expect(result.outputText == "\(try server.tree.token())\n", "\(result.errorText)")
    }
  }

  @Test func `gives the steps after it a token that the log hides`() throws {
    try TokenServer.with(keepsToken: true) { server in
      let recipe = try Self.recipe(.github, server)
      let step = try #require(recipe.split(separator: "- run: ").last)
      // Each step runs in its own shell. The runner reads the file afterwards.
      let result = try server.run(
        """
        export GITHUB_ENV=$PWD/steps; : >steps; bash -e -o pipefail -c '\(step)' >log
        python3 -c 'import os, readers; os.execvpe("sh", ["sh", "-c", "printenv AGENT_ACCESS_TOKEN"],
          {**os.environ, **readers.github_actions(open("steps", encoding="utf-8", newline="").read())})'
        cat log
        """, ["PYTHONPATH": PackageFiles.path() + "/Tests/Tools/Shells", "PYTHONDONTWRITEBYTECODE": "1"])
      let token = try server.tree.token()
      #expect(result.outputText == "\(token)\n::add-mask::\(token)\n", "\(result.errorText)")
    }
  }

  @Test func `gives the lines of a job a token, and ends it where there is none`() throws {
    try TokenServer.with { server in
      let lines = try Self.recipe(.gitlab, server).split(separator: "\n")
      #expect(lines.prefix(2) == ["deploy:", "  script:"])
      let script = lines.dropFirst(2).map { $0.drop { $0 == " " || $0 == "-" } }.joined(separator: "\n")
      try server.tree.directory.write("home/deploy", "#!/bin/sh\nprintenv AGENT_ACCESS_TOKEN\n")
      // The runner puts the lines into one script and ends at the first failure.
      let result = try server.run("chmod 700 deploy; set -eo pipefail\n\(script)")
      #expect(result.outputText == "\(try server.tree.token())\n", "\(result.errorText)")
      #expect(try server.tree.agent("logout", "work").succeeded)
      let over = try server.run("set -eo pipefail\n\(script)")
      #expect(over.failed(3), "\(over.errorText)")
    }
  }
}
