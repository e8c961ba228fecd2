import Encoding
import Platform
import TestSupport
import Testing

/// A server for data that programs fetch with a token (git repositories, packages, images), over TLS and plain http.
/// The issuer checks each token. The account `work` lists both origins.
final class TokenServer: Sendable {
  let session: Session
  /// The TLS origin, whose certificate authority is at ``authorityPath``.
  let url: String
  let plainURL: String
  /// The ports for mail over TLS; nil unless mail was requested.
  let mailPorts: (imap: Substring, submission: Substring)?
  private let process: RunningProcess

  var tree: AgentTree { session.tree }
  var authorityPath: String { tree.path("ca.pem") }
  /// The host and port of the TLS origin.
  var host: String { String(url.dropFirst("https://".count)) }
  var plainHost: String { String(plainURL.dropFirst("http://".count)) }

  /// Runs `body` with a server that the account lists with `details`.
  ///
  /// - Parameters:
  ///   - options: Options of `devissuer`.
  ///   - mail: Whether there is a mail server, too.
  ///   - mechanisms: The mail server's sign-in mechanisms.
  ///   - keepsToken: Whether `body` itself leaves a token in the tree. Otherwise, the clients must not leave one.
  static func with<Result>(
    _ options: String..., details: String = "", mail: Bool = false, mechanisms: String = "xoauth2 oauthbearer",
    keepsToken: Bool = false, body: (TokenServer) throws -> Result
  ) throws -> Result {
    let secrets = try TemporaryDirectory()
    let secret = mail ? ["--client-secret-file", secrets.path("secret")] : []
    return try Issuer.with(options + secret) { issuer in
      try AgentTree.with { tree in
        let events = try tree.signIn(at: issuer.url, "--scope", "openid offline_access")
        let server = try TokenServer(
          Session(tree: tree, issuer: issuer, events: events), mail ? secrets.read("secret") : nil, mechanisms)
        defer { server.stop() }
        try server.list(details)
        let first = try server.tokens()
        let result = try body(server)
        if keepsToken { return result }
        var tokens = try first + server.tokens()
        // The form in which docker stores credentials.
        tokens += tokens.flatMap { token in ["oauth2", "me"].map { Base64.encode(Array("\($0):\(token)".utf8)) } }
        // The test itself writes this file.
        let copies = try tree.files(containing: tokens).filter { $0 != tree.path("refused") }
        #expect(copies.isEmpty, "a client has kept the token")
        return result
      }
    }
  }

  /// - Parameter secret: The secret of the issuer's client that introspects tokens for mail.
  private init(_ session: Session, _ secret: [UInt8]?, _ mechanisms: String) throws {
    self.session = session
    let tree = session.tree
    try CertificateAuthority(in: tree).certify("server", subject: "server", names: "IP:127.0.0.1,DNS:localhost")
    let made = try ProcessRunner.shell(
      """
      set -e; cd '\(tree.directory.path)'; mkdir git names; git init -q --bare -b main git/x.git
      git -C git/x.git config http.receivepack true
      for name in git docker cargo; do ln -s '\(Programs.path("agent"))' names/$name-credential-agent; done
      \(ClientProgram.chosen.map { "ln -s '\($0.value)' names/\($0.key)" }.joined(separator: "\n"))
      """)
    try #require(made.succeeded, "\(made.errorText)")
    process = try RunningProcess(
      executable: "/usr/bin/env",
      arguments: [
        "python3", RealServer.path("Clients/server.py"), tree.directory.path, session.issuer.url,
        Programs.path("agent"),
      ] + (secret.map { [String(decoding: $0, as: UTF8.self), mechanisms] } ?? []), environment: tree.environment())
    let ports = try process.readLine().split(separator: " ")
    try #require(ports.count == (secret == nil ? 2 : 4))
    (url, plainURL) = ("https://127.0.0.1:\(ports[0])", "http://127.0.0.1:\(ports[1])")
    mailPorts = secret.map { _ in (ports[2], ports[3]) }
  }

  private func stop() { _ = try? process.terminate() }

  /// Empty if signed out.
  private func tokens() throws -> [String] {
    let result = try tree.agent("token", "work", "--id-token", "--json", "--min-valid", "0")
    guard result.succeeded else { return [] }
    let answer = try JSON(parsing: result.output)
    return ["access_token", "id_token"].compactMap { answer[$0]?.string }
  }

  func list(_ details: String) throws {
    let result = try tree.agent(
      "account", "set", "work", "--host", "\(url) \(details)", "--host", "\(plainURL) \(details)")
    try #require(result.succeeded, "\(result.errorText)")
  }

  /// The next request: method, path, scheme of its credential, user, status.
  func nextRequest() throws -> String { try process.readLine() }

  /// Waits until the token's remaining lifetime is at most `seconds` (the default is too short for a helper), and
  /// makes the issuer grant longer ones.
  func waitUntilEnding(seconds: Int = 60) throws {
    // On a busy machine, the token may have been renewed since the sign-in.
    let expiry = try #require(tree.json("token", "work", "--min-valid", "0")["expires_at"]?.int)
    try session.issuer.control("access_token_lifetime", "3600")
    while SystemTime().wallSeconds() <= expiry - seconds { Threads.sleep(for: .milliseconds(50)) }
  }

  /// Makes the server reject the account's current token.
  func refuseToken() throws { try tree.directory.write("refused", try tree.token()) }

  /// Runs a script in the home directory, with developer programs on the PATH.
  func run(_ script: String, _ changes: [String: String?] = [:]) throws -> ProcessResult {
    try tree.shell("bash", "set -e\n" + script, environment(changes))
  }

  /// Signs out, and expects that a client then ends by itself and shows the hint.
  ///
  /// - Parameters:
  ///   - script: A repeatable script that runs the client.
  ///   - isTold: Whether the client shows its helper's messages.
  func expectSignedOut(_ script: String, _ changes: [String: String?] = [:], isTold: Bool = true) throws {
    // Other tests may keep the machine so busy that the client starts slowly, signed in or not.
    let usual = try time(of: script, changes).duration
    let limit = max(Self.longest, usual * 2)
    #expect(try tree.agent("logout", "work").succeeded)
    var shortest = Duration.seconds(600)
    for _ in 0..<3 where shortest >= limit {
      let (over, duration) = try time(of: script, changes)
      shortest = min(shortest, duration)
      let shown = over.errorText + over.outputText
      #expect(!over.succeeded && (!isTold || shown.contains("agent login work")), "\(shown)")
    }
    #expect(shortest < limit)
  }

  /// How long a client without a session may take to fail.
  private static let longest = Duration.seconds(20)

  private func time(
    of script: String, _ changes: [String: String?]
  ) throws -> (result: ProcessResult, duration: Duration) {
    let begin = Instant.now
    let result = try run(script, changes)
    return (result, begin.duration(to: .now))
  }

  func start(_ script: String) throws -> RunningProcess {
    try RunningProcess(
      executable: "/bin/bash", arguments: ["-c", "set -e; cd\n" + script], environment: tree.environment(environment()))
  }

  private func environment(_ changes: [String: String?] = [:]) -> [String: String?] {
    let folders = [
      tree.path("names"), ClientProgram.folder, Programs.folder, "/usr/local/bin", "/usr/bin", "/bin",
      ClientProgram.dockerFolder,
    ]
    let variables: [String: String?] = [
      "PATH": folders.compactMap { $0 }.joined(separator: ":"), "SSL_CERT_FILE": authorityPath,
      "GIT_SSL_CAINFO": authorityPath, "CARGO_HTTP_CAINFO": authorityPath, "REQUESTS_CA_BUNDLE": authorityPath,
      "URL": url, "PLAIN": plainURL, "HOST": host, "PLAIN_HOST": plainHost, "GIT_TERMINAL_PROMPT": "0",
      "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "x", "GIT_AUTHOR_EMAIL": "x@example.com",
      "GIT_COMMITTER_NAME": "x",
      "GIT_COMMITTER_EMAIL": "x@example.com",
    ]
    return variables.merging(changes) { $1 }
  }
}

/// Programs that use the helpers, or that tests need: of this machine, or installed for the tests.
enum ClientProgram {
  /// The directory of the programs that pip has installed; nil if pip failed.
  static let folder: String? = installed("Clients").map { $0 + "/bin" }

  /// The path of a Python with pip 23, whose requests differ from later versions.
  static let earlierPython: String? = installed("EarlierClients").map { $0 + "/bin/python3" }

  /// The directory of docker's client: the machine's, or Debian's, unpacked; nil if unavailable.
  static let dockerFolder: String? = onPath("docker").map(folder(of:)) ?? installed("Docker").map { $0 + "/usr/bin" }

  /// The path of nginx with its DAV module: the machine's, or Debian's, unpacked; nil if neither runs.
  static let nginx: String? = {
    let runs = { (path: String) in
      (try? ProcessRunner.shell("'\(path)' -V 2>&1 | grep -q http_dav_module").succeeded) == true
    }
    if let own = [onPath("nginx"), "/usr/sbin/nginx"].compactMap({ $0 }).first(where: runs) { return own }
    return installed("Nginx").map { $0 + "/usr/sbin/nginx" }.flatMap { runs($0) ? $0 : nil }
  }()

  /// The Java and the unpacked archive of Debian's Tomcat; nil if it does not run.
  static let tomcat: (java: String, archive: String)? = {
    guard let folder = installed("Tomcat"),
      let found = try? ProcessRunner.shell("ls '\(folder)'/usr/lib/jvm/java-*-*/bin/java | head -n 1"),
      case let java = found.outputText.filter({ $0 != "\n" }),
      (try? ProcessRunner.shell("'\(java)' -version").succeeded) == true
    else { return nil }
    return (java, "\(folder)/usr/share/java/tomcat10-embed-core.jar")
  }()

  /// The path of each program with the current helper protocol: the machine's, or the one installed by pip.
  static let chosen: [String: String] = {
    let known: [(name: String, option: String, word: String, oldest: [Int])] = [
      ("kubectl", "version --client", "v", [1, 22]), ("go", "version", "go", [1, 24]),
      ("pip", "--version", "pip ", [26, 3]),
      ("uv", "--version", "uv ", [0, 5]), ("aws", "--version", "aws-cli/", [1]),
    ]
    var paths: [String: String] = [:]
    for program in known {
      let candidates = [onPath(program.name), folder.map { "\($0)/\(program.name)" }].compactMap { $0 }
      paths[program.name] = candidates.first { version($0, program.option, program.word) >= program.oldest }
    }
    return paths
  }()

  /// The directories of cargo and its toolchains, which rustup installs in its user's home directory; nil before
  /// 1.74, the first version with credential providers.
  static let cargo: (folder: String, toolchains: String)? = {
    guard onPath("rustc") != nil, let cargo = onPath("cargo"), version(cargo, "--version", "cargo ") >= [1, 74] else {
      return nil
    }
    let home = Environment.value("HOME") ?? "/root"
    return (folder(of: cargo), Environment.value("RUSTUP_HOME") ?? "\(home)/.rustup")
  }()

  private static func folder(of path: String) -> String {
    path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
  }

  private static func installed(_ name: String) -> String? {
    guard Programs.folder != nil, let install = try? RealServer.script("install", name), install.succeeded
    else { return nil }
    return install.outputText.filter { $0 != "\n" }
  }

  /// The path of a program on the PATH of the tests, or in another usual directory.
  private static func onPath(_ name: String) -> String? {
    let found = try? ProcessRunner.run(
      executable: "/bin/sh", arguments: ["-c", "PATH=$PATH:~/.cargo/bin; command -v \(name)"],
      environment: Environment.all().map { "\($0.0)=\($0.1)" })
    return found.flatMap { $0.succeeded ? $0.outputText.filter { $0 != "\n" } : nil }
  }

  /// The first two numbers after a word in a program's version output; empty if the program does not run.
  private static func version(_ program: String, _ option: String, _ word: String) -> [Int] {
    // In a test, the program has another home directory.
    let variables = Environment.all().filter { $0.0 != "HOME" || program.hasSuffix("/cargo") }
    let said = try? ProcessRunner.run(
      executable: "/bin/sh", arguments: ["-c", "cd /; '\(program)' \(option)"],
      environment: variables.map { "\($0.0)=\($0.1)" })
    let text = said?.outputText ?? ""
    let places = text.indices.filter { text[$0...].hasPrefix(word) }.map { text[$0...].dropFirst(word.count) }
    guard let numbers = places.first(where: { $0.first?.isNumber ?? false }) else { return [] }
    return numbers.prefix { $0.isNumber || $0 == "." }.split(separator: ".").prefix(2).compactMap { Int($0) }
  }

  static func isThere(_ name: String) -> Bool {
    switch name {
    case "cargo": return cargo != nil
    case "nginx": return nginx != nil
    case "tomcat": return tomcat != nil
    case _ where ["kubectl", "go", "pip", "uv", "aws"].contains(name): return chosen[name] != nil
    case "pip 23": return earlierPython != nil
    default: break
    }
    let folders = [folder, dockerFolder, "/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin"].compactMap { $0 }
    return folders.contains { (try? ProcessRunner.shell("test -x '\($0)/\(name)'").succeeded) == true }
  }
}

extension [Int] {
  fileprivate static func >= (own: [Int], other: [Int]) -> Bool { !own.lexicographicallyPrecedes(other) }
}

extension Trait where Self == ConditionTrait {
  static func needs(client name: String) -> Self {
    .enabled(
      if: ClientProgram.isThere(name) || Environment.value("AGENT_DEMAND_SERVERS").map { !$0.isEmpty } ?? false,
      "\(name) is not installed, or too old; with AGENT_DEMAND_SERVERS=1 that fails instead")
  }
}
