import Encoding
import Platform
import TestSupport
import Testing

/// A server of what programs fetch with a token (git repositories, packages, images), which has the issuer check each
/// token, over TLS and plain http. The account `work` lists both places.
final class TokenServer: Sendable {
  let session: Session
  /// Over TLS, under the authority whose certificate is ``authorityPath``.
  let url: String
  let plainURL: String
  /// The ports where mail is read and where it is sent, both over TLS; nil where no mail was wanted.
  let mailPorts: (imap: Substring, submission: Substring)?
  private let process: RunningProcess

  var tree: AgentTree { session.tree }
  var authorityPath: String { tree.path("ca.pem") }
  /// Host and port of each.
  var host: String { String(url.dropFirst("https://".count)) }
  var plainHost: String { String(plainURL.dropFirst("http://".count)) }

  /// Runs `body` with a server that an account lists with some details.
  ///
  /// - Parameters:
  ///   - options: Of `devissuer`.
  ///   - mail: Whether there is a server of mail, too.
  static func with<Result>(
    _ options: String..., details: String = "", mail: Bool = false, body: (TokenServer) throws -> Result
  ) throws -> Result {
    let secrets = try TemporaryDirectory()
    let secret = mail ? ["--client-secret-file", secrets.path("secret")] : []
    return try Issuer.with(options + secret) { issuer in
      try AgentTree.with { tree in
        let events = try tree.signIn(at: issuer.url, "--scope", "openid offline_access")
        let server = try TokenServer(
          Session(tree: tree, issuer: issuer, events: events), mail ? secrets.read("secret") : nil)
        defer { server.stop() }
        try server.list(details)
        return try body(server)
      }
    }
  }

  /// - Parameter secret: Of the issuer's client that may introspect tokens, where there is to be mail.
  private init(_ session: Session, _ secret: [UInt8]?) throws {
    self.session = session
    let tree = session.tree
    try CertificateAuthority(in: tree).certify("server", subject: "server", names: "IP:127.0.0.1,DNS:localhost")
    let made = try ProcessRunner.shell(
      """
      set -e; cd '\(tree.directory.path)'; mkdir git names; git init -q --bare -b main git/x.git
      git -C git/x.git config http.receivepack true
      for name in git docker cargo; do ln -s '\(Programs.path("agent"))' names/$name-credential-agent; done
      """)
    try #require(made.succeeded, "\(made.errorText)")
    process = try RunningProcess(
      executable: "/usr/bin/env",
      arguments: [
        "python3", RealServer.path("Clients/server.py"), tree.directory.path, session.issuer.url,
        Programs.path("agent"),
      ] + (secret.map { [String(decoding: $0, as: UTF8.self)] } ?? []), environment: tree.environment())
    let ports = try process.readLine().split(separator: " ")
    try #require(ports.count == (secret == nil ? 2 : 4))
    (url, plainURL) = ("https://127.0.0.1:\(ports[0])", "http://127.0.0.1:\(ports[1])")
    mailPorts = secret.map { _ in (ports[2], ports[3]) }
  }

  private func stop() { _ = try? process.terminate() }

  /// Has the account list both places with these details.
  func list(_ details: String) throws {
    let result = try tree.agent(
      "account", "set", "work", "--host", "\(url) \(details)", "--host", "\(plainURL) \(details)")
    try #require(result.succeeded, "\(result.errorText)")
  }

  /// The next request: method, path, scheme of its credential, user, status.
  func nextRequest() throws -> String { try process.readLine() }

  /// Waits until the token has too little time left for a helper, and has the issuer give longer ones.
  func waitUntilEnding() throws {
    try session.issuer.control("access_token_lifetime", "3600")
    let expiry = try #require(session.events.last?["expires_at"]?.int)
    while SystemTime().wallSeconds() <= expiry - 60 { Threads.sleep(for: .milliseconds(50)) }
  }

  /// Refuses the token that the account has now.
  func refuseToken() throws { try tree.directory.write("refused", try tree.token()) }

  /// Runs a script with the programs of a developer on the PATH, in a home of its own.
  func run(_ script: String, _ changes: [String: String?] = [:]) throws -> ProcessResult {
    try tree.shell("bash", "set -e\n" + script, environment(changes))
  }

  /// Begins to run a script in the same way.
  func start(_ script: String) throws -> RunningProcess {
    try RunningProcess(
      executable: "/bin/bash", arguments: ["-c", "set -e; cd\n" + script], environment: tree.environment(environment()))
  }

  private func environment(_ changes: [String: String?] = [:]) -> [String: String?] {
    let folders = [
      tree.path("names"), ClientProgram.folder, Programs.folder, "/usr/local/bin", "/usr/bin", "/bin",
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

/// A program that asks the helpers: one of this machine, or of those that pip installs.
enum ClientProgram {
  /// Where pip has put its programs; nil when it could not.
  static let folder: String? = {
    guard Programs.folder != nil, let install = try? RealServer.script("Servers/install", "Clients"), install.succeeded
    else { return nil }
    return install.outputText.filter { $0 != "\n" } + "/bin"
  }()

  /// Where cargo is, which keeps its toolchains in the home of whoever installed it.
  static let cargo: (folder: String, toolchains: String)? = {
    let home = Environment.value("HOME") ?? "/root"
    let found = try? ProcessRunner.shell("test -x '\(home)/.cargo/bin/cargo'")
    return found?.succeeded == true ? ("\(home)/.cargo/bin", "\(home)/.rustup") : nil
  }()

  static func isThere(_ name: String) -> Bool {
    if name == "cargo" { return cargo != nil }
    let folders = [folder, "/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin"].compactMap { $0 }
    return folders.contains { (try? ProcessRunner.shell("test -x '\($0)/\(name)'").succeeded) == true }
  }
}

extension Trait where Self == ConditionTrait {
  /// The test needs a program, which is not there on each machine.
  static func needs(client name: String) -> Self {
    .enabled(
      if: ClientProgram.isThere(name) || Environment.value("AGENT_DEMAND_SERVERS").map { !$0.isEmpty } ?? false,
      "\(name) is not installed; with AGENT_DEMAND_SERVERS=1 that fails instead")
  }
}
