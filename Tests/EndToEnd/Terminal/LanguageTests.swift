import Encoding
import Platform
import TestSupport
import Testing

/// For programs that were installed and then moved.
@Suite(.needsPrograms) struct `Messages in other languages` {
  /// An installed tree of `agent` with its catalogues, in its own directory.
  private static func with(_ body: (AgentTree, _ agent: String) throws -> Void) throws {
    try AgentTree.with { tree in
      let place = tree.path("home/moved")
      let result = try ProcessRunner.shell(
        """
        set -e
        mkdir -p '\(place)/bin' '\(place)/libexec'
        cp '\(Programs.path("agent"))' '\(place)/bin/agent'
        ln -s '\(Programs.path("agentd"))' '\(place)/libexec/agentd'
        sh '\(PackageFiles.path("share/po/compile"))' '\(place)/share/locale'
        """)
      try #require(result.succeeded, "\(result.errorText)")
      try body(tree, "\(place)/bin/agent")
    }
  }

  private static func run(
    _ agent: String, _ arguments: [String], _ tree: AgentTree, _ changes: [String: String?]
  ) throws -> ProcessResult {
    try ProcessRunner.run(
      executable: agent, arguments: arguments, environment: tree.environment(changes))
  }

  private static let german = "agent: Fehler: noch keine Konten\n"
  private static let english = "agent: error: no accounts yet\n"

  @Test func `are chosen by LANGUAGE where the locale has none of its own`() throws {
    try Self.with { tree, agent in
      let environments: [([String: String?], String)] = [
        (["LANGUAGE": "de"], Self.german), (["LANGUAGE": "fr:de:ar"], Self.german),
        (["LANGUAGE": "de_AT.UTF-8"], Self.german), ([:], Self.english), (["LANGUAGE": "fr"], Self.english),
        // Without a locale there is no other language (POSIX), whatever the other variable contains.
        (["LANG": nil, "LANGUAGE": "de"], Self.english), (["LC_ALL": "C", "LANGUAGE": "de"], Self.english),
        (["LC_ALL": "POSIX", "LANGUAGE": "de"], Self.english), (["LC_MESSAGES": "C", "LANGUAGE": "de"], Self.english),
        (["LANG": "xx_XX.UTF-8", "LANGUAGE": "de"], Self.english),
        (["LANG": "../../../etc", "LANGUAGE": "../../../etc"], Self.english),
      ]
      for (changes, expected) in environments {
        let result = try Self.run(agent, ["token"], tree, changes)
        #expect(result.failed(3) && result.errorText.hasPrefix(expected), "\(changes): \(result.errorText)")
      }
    }
  }

  // The daemon has no catalogue: it shows the translations that come with the request.
  @Test(
    arguments: [
      ("de", "ltr", "<h1>Angemeldet</h1>", "dieses Gerät heißt work."),
      ("ar", "rtl", "<h1>تم تسجيل الدخول</h1>", "\u{2068}work\u{2069}."),
    ])
  func `are on the page at the end of a sign-in in a browser`(
    language: String, direction: String, title: String, text: String
  ) throws {
    try Issuer.with { issuer in
      try Self.with { tree, agent in
        let page = tree.path("home/page")
        let result = try Self.run(
          agent, BrowserLogin.line(issuer) + ["--browser"], tree,
          ["LANGUAGE": language, "BROWSER": "curl -qsSL --max-time 1800 -o \(page) %s"])
        #expect(result.succeeded, "\(result.errorText)")
        // curl may still write.
        let deadline = Instant.now.advanced(by: .testLimit)
        var shown = ""
        while !shown.contains("</html>"), Instant.now < deadline {
          shown = (try? tree.directory.readText("home/page")) ?? ""
          Threads.sleep(for: .milliseconds(20))
        }
        #expect(shown.contains("<html lang=\"\(language)\" dir=\"\(direction)\">"), "\(shown)")
        #expect(shown.contains(title) && shown.contains(text), "\(shown)")
      }
    }
  }

  @Test func `are from no other directory, whatever the variables say`() throws {
    try Self.with { tree, agent in
      let made = try ProcessRunner.shell(
        """
        set -e
        mkdir -p '\(tree.path("home/foreign/de/LC_MESSAGES"))'
        cp '\(tree.path("home/moved"))'/share/locale/de/LC_MESSAGES/agent.mo '\(tree.path("home/foreign/de/LC_MESSAGES"))/'
        """)
      try #require(made.succeeded, "\(made.errorText)")
      let up = "../../../foreign/de"
      for language in [up, "fr:\(up)", "\(tree.path("home/foreign/de"))", "../locale/de", "./de", "de/../de"] {
        for name in ["LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"] {
          let changes = name == "LANGUAGE" ? [name: language] : [name: language, "LANGUAGE": up]
          let result = try Self.run(agent, ["token"], tree, changes)
          #expect(result.failed(3) && result.errorText.hasPrefix(Self.english), "\(changes): \(result.errorText)")
        }
      }
    }
  }

  @Test func `are chosen by the locale, which must be in UTF-8`() throws {
    try Self.with { tree, agent in
      let locales = tree.path("home/locales")
      let made = try ProcessRunner.shell(
        """
        mkdir '\(locales)'; cd '\(locales)'
        localedef -i de_DE -f UTF-8 ./de_DE.UTF-8 && localedef -i de_DE -f ISO-8859-1 ./de_DE.ISO-8859-1
        localedef -i ar_EG -f UTF-8 ./ar_EG.UTF-8
        """)
      try #require(made.succeeded, "\(made.errorText)")
      func text(_ variable: String, _ locale: String) throws -> String {
        try Self.run(agent, ["token"], tree, ["LOCPATH": locales, variable: locale]).errorText
      }
      for variable in ["LANG", "LC_ALL"] {
        #expect(try text(variable, "de_DE.UTF-8").hasPrefix(Self.german))
        #expect(try text(variable, "ar_EG.UTF-8").hasPrefix("agent: خطأ: لا يوجد أي حساب بعد\n"))
        #expect(try text(variable, "de_DE.ISO-8859-1").hasPrefix(Self.english))
      }
    }
  }

  @Test func `include the help, which fits a screen in every language`() throws {
    try Self.with { tree, agent in
      func help(_ words: [String], _ language: String) throws -> [String] {
        let result = try Self.run(agent, words, tree, ["LANGUAGE": language, "LC_ALL": "C.UTF-8"])
        #expect(result.succeeded, "\(result.errorText)")
        return result.outputText.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { String($0) }
      }
      #expect(try help(["help", "login"], "de").first == "Bei einem Konto anmelden.")
      #expect(try help(["login", "--help"], "de").first == "Bei einem Konto anmelden.")
      #expect(
        try help(["--help"], "ar").first?.hasPrefix("البقاء مسجَّل الدخول إلى خدمات OAuth 2.0 وOpenID Connect.") == true)
      let plain = try Self.run(agent, ["help", "login"], tree, ["LANGUAGE": "de", "LC_ALL": "C"])
      #expect(plain.outputText.hasPrefix("Sign in to an account.\n"))
      let list = try help(["help", "--all"], "en").drop { $0 != "Commands:" }.dropFirst().prefix { !$0.isEmpty }
      let commands = list.filter { !$0.hasPrefix("   ") }.map { line in
        line.dropFirst(2).prefix(23).split(separator: " ").map { String($0) }
      }
      #expect(commands.count > 40)
      for language in ["de", "ar"] {
        for command in [[]] + commands {
          let lines = try help(["help"] + command, language)
          #expect(lines.count <= 24, "\(language): \(command)")
          for line in lines {
            let columns = line.count { $0 != "\u{2068}" && $0 != "\u{2069}" }
            #expect(columns <= 79, "\(language): \(command): \(line)")
          }
        }
      }
    }
  }

  @Test func `leave alone what programs read`() throws {
    try Issuer.with { issuer in
      try Self.with { tree, agent in
        let arabic = ["LANGUAGE": "ar"]
        let login = try Self.run(
          agent,
          [
            "login", "work", "--issuer", issuer.url, "--client-id", "agent-cli", "--allow-http-loopback", "--device",
            "--json",
          ], tree, arabic)
        #expect(login.succeeded, "\(login.errorText)")
        #expect(try login.lines.map { try JSON(parsing: Array($0.utf8))["event"]?.string }.last == "signed_in")
        let token = try tree.token()
        #expect(try Self.run(agent, ["token"], tree, arabic).outputText == "\(token)\n")
        let inEnglish = try Self.run(agent, ["env"], tree, [:]).output
        #expect(try Self.run(agent, ["env"], tree, arabic).output == inEnglish)
        let row = try #require(try Self.run(agent, ["list"], tree, arabic).lines.last)
        #expect(row.hasPrefix("*  work") && row.hasSuffix("  \(issuer.url)"), "\(row)")
        let failure = try Self.run(agent, ["token", "nobody", "--json"], tree, arabic)
        let told = try JSON(parsing: failure.output.isEmpty ? Array(failure.errorText.utf8.dropLast()) : failure.output)
        #expect(failure.failed(3) && told["error"]?["code"]?.string == "no_account")
        #expect(told["error"]?["message"]?.string == "no account is called nobody")
      }
    }
  }

  @Test func `tell of sessions and keep values apart from text that is written from right to left`() throws {
    try Issuer.with { issuer in
      try Self.with { tree, agent in
        let login = [
          "login", "work", "--issuer", issuer.url, "--client-id", "agent-cli", "--allow-http-loopback", "--device",
        ]
        let german = try Self.run(agent, login, tree, ["LANGUAGE": "de"])
        #expect(german.succeeded)
        #expect(german.errorText.contains("agent: zur Anmeldung bei \(issuer.url) (Client agent-cli, Scope: "))
        #expect(german.errorText.contains("agent: angemeldet bei \(issuer.url) als "))
        let table = try Self.run(agent, ["status"], tree, ["LANGUAGE": "de"]).lines
        #expect(table.first?.contains("KONTO") == true && table.contains { $0.contains("  angemeldet  ") }, "\(table)")
        let status = try Self.run(agent, ["status", "work"], tree, ["LANGUAGE": "de"]).outputText
        #expect(
          status.contains("work (aktives Konto)\n") && status.contains("Zustand")
            && status.contains("angemeldet, Token läuft in "))
        let arabic = try Self.run(agent, login, tree, ["LANGUAGE": "ar"])
        #expect(arabic.errorText.contains("\u{2068}\(issuer.url)\u{2069}"))
        #expect(arabic.errorText.contains("(الحساب \u{2068}work\u{2069}، النشط)"))
        #expect(
          try Self.run(agent, ["logout"], tree, ["LANGUAGE": "de"]).errorText
            == "agent: von work abgemeldet, Token widerrufen\n")
        // A command can be copied: it contains no invisible characters.
        let failure = try Self.run(agent, ["token"], tree, ["LANGUAGE": "ar"])
        #expect(failure.failed(3))
        #expect(failure.errorText.contains("agent: تلميح: agent login work\n"), "\(failure.errorText)")
      }
    }
  }

  @Test func `cost a token that is at hand nothing`() throws {
    try Issuer.with { issuer in
      try Self.with { tree, agent in
        try tree.signIn(at: issuer.url)
        _ = try Self.run(agent, ["token"], tree, [:])
        let trace = tree.path("home/trace")
        let result = try ProcessRunner.run(
          executable: "/usr/bin/strace", arguments: ["-f", "-e", "trace=file", "-o", trace, agent, "token"],
          environment: tree.environment(["LANGUAGE": "de"]))
        #expect(result.succeeded, "\(result.errorText)")
        let calls = String(decoding: try tree.directory.read("home/trace"), as: UTF8.self)
        #expect(calls.contains("execve") && !calls.contains("locale") && !calls.contains(".mo"), "\(calls)")
      }
    }
  }
}
