import Encoding
import Platform
import TestSupport
import Testing

/// The recipes of agent-recipes(7), tried as they stand there by the programs that they are for, at servers that check the
/// token. Only the reader's own names are put in, and what makes a program trust the certificate of the tests.
@Suite(.needsPrograms) struct `A recipe of the manual` {
  enum Name: String, CaseIterable {
    case mbsync, msmtp, mutt, aws = "AWS web identity", azure = "Azure workload identity", vault = "Vault", step
    case httpie = "HTTPie", direnv, github = "GitHub Actions", gitlab = "GitLab CI"
  }

  @Test func `is tried below, each of them`() throws {
    #expect(try Set(Manual.recipes().keys) == Set(Name.allCases.map(\.rawValue)))
  }

  private static func recipe(_ name: Name, _ server: TokenServer) throws -> String {
    let lines = try #require(try Manual.recipes()[name.rawValue]).joined(separator: "\n")
    var names = [
      ("https://api.example.com/me", "\(server.url)/me"), ("me@example.com", "alice@example.com"),
      ("me%40example.com", "alice%40example.com"),
    ]
    if let ports = server.mailPorts {
      names += [
        ("imap.example.com:993", "localhost:\(ports.imap)"), ("smtp.example.com:465", "localhost:\(ports.submission)"),
        ("imap.example.com", "localhost"), ("smtp.example.com", "localhost"), ("Port 993", "Port \(ports.imap)"),
        ("port 465", "port \(ports.submission)"),
      ]
    }
    return names.reduce(lines) { $0.replacing($1.0, with: $1.1) }
  }

  // MARK: Mail

  private static let isRead = "AUTHENTICATE OAUTHBEARER alice@example.com 200"
  private static let isSent = ["AUTH OAUTHBEARER alice@example.com 235", "DATA"]

  /// Runs `body` with a server of mail, then has the program fail at its next try, for the session is over.
  private static func withMail(_ name: Name, _ body: (TokenServer, String) throws -> Void) throws {
    try TokenServer.with(mail: true) { server in try body(server, try recipe(name, server)) }
  }

  @Test(.needs(client: "dovecot"), .needs(client: "mbsync")) func `lets mbsync read mail`() throws {
    try Self.withMail(.mbsync) { server, recipe in
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
      #expect(try server.tree.agent("logout", "work").succeeded)
      let over = try server.run("mbsync work")
      #expect(!over.succeeded && over.errorText.contains("agent login work"), "\(over.errorText)")
    }
  }

  @Test(.needs(client: "dovecot"), .needs(client: "msmtp")) func `lets msmtp send mail`() throws {
    try Self.withMail(.msmtp) { server, recipe in
      try server.tree.directory.write("home/.msmtprc", recipe + "\ntls_trust_file \(server.authorityPath)\n")
      let script = "chmod 600 .msmtprc; printf 'Subject: x\\n\\nx\\n' | msmtp -a work bob@example.com"
      let result = try server.run(script)
      #expect(result.succeeded, "\(result.errorText)")
      #expect(try [server.nextRequest(), server.nextRequest()] == Self.isSent)
      #expect(try server.tree.agent("logout", "work").succeeded)
      let over = try server.run(script)
      #expect(!over.succeeded && over.errorText.contains("agent login work"), "\(over.errorText)")
    }
  }

  @Test(.needs(client: "dovecot"), .needs(client: "mutt"), .needs(client: "neomutt"), arguments: ["mutt", "neomutt"])
  func `lets mutt read and send mail`(program: String) throws {
    try Self.withMail(.mutt) { server, recipe in
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

  /// Neither program is in Debian, so that one of the tests stands for it: it wants the arguments that the real one
  /// documents, and sends the token on as it got it.
  @Test(arguments: [
    (Name.vault, "write auth/jwt/login role=dev jwt=-", "cat"),
    (Name.step, "ca certificate alice@example.com me.crt me.key", #"printf %s "$STEP_TOKEN""#),
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
      #expect(try server.tree.agent("logout", "work").succeeded)
      let over = try server.run(script)
      #expect(!over.succeeded && over.errorText.contains("agent login work"), "\(over.errorText)")
    }
  }

  private static func expectRefusal(
    of recipe: String, _ server: TokenServer, _ changes: [String: String?] = [:]
  ) throws {
    #expect(try server.tree.agent("logout", "work").succeeded)
    let over = try server.run("set -o pipefail\n" + recipe, changes)
    #expect(!over.succeeded && over.errorText.contains("agent login work"), "\(over.errorText)")
  }

  // MARK: Shells and scripts

  @Test(.needs(client: "http")) func `lets HTTPie make a request`() throws {
    try TokenServer.with { server in
      #expect(try server.run("mkdir -p .config/httpie").succeeded)
      // Its input is no terminal here.
      try server.tree.directory.write(
        "home/.config/httpie/config.json", #"{"default_options": ["--ignore-stdin", "--check-status"]}"#)
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
    try TokenServer.with { server in
      let recipe = try Self.recipe(.github, server)
      let step = try #require(recipe.split(separator: "- run: ").last)
      // A step is a shell of its own, and the runner reads the file after it.
      let result = try server.run(
        """
        export GITHUB_ENV=$PWD/steps; : >steps; bash -e -o pipefail -c '\(step)' >log
        python3 -c 'import os, readers; os.execvpe("sh", ["sh", "-c", "printenv AGENT_ACCESS_TOKEN"],
          {**os.environ, **readers.github_actions(open("steps", encoding="utf-8", newline="").read())})'
        cat log
        """, ["PYTHONPATH": Manual.top + "/Tests/Shells", "PYTHONDONTWRITEBYTECODE": "1"])
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
      // The runner makes one script of the lines, for a shell that ends at the first that fails.
      let result = try server.run("chmod 700 deploy; set -eo pipefail\n\(script)")
      #expect(result.outputText == "\(try server.tree.token())\n", "\(result.errorText)")
      #expect(try server.tree.agent("logout", "work").succeeded)
      let over = try server.run("set -eo pipefail\n\(script)")
      #expect(over.failed(3), "\(over.errorText)")
    }
  }
}
