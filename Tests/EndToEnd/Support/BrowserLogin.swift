import Encoding
import Platform
import TestSupport
import Testing

/// A sign-in that has printed its URL and waits for the browser, which is curl.
struct BrowserLogin {
  let login: RunningProcess
  let event: JSON

  init(_ tree: AgentTree, _ issuer: Issuer, _ options: String...) throws {
    try self.init(tree, Self.line(issuer) + ["--browser", "--no-open"] + options)
  }

  /// - Parameter command: A command line with `--json`.
  init(_ tree: AgentTree, _ command: [String], _ changes: [String: String?] = [:]) throws {
    login = try tree.start(command, changes)
    event = try JSON(parsing: Array(login.readLine().utf8))
  }

  static func line(_ issuer: Issuer, account: String = "work") -> [String] {
    ["login", account, "--issuer", issuer.url, "--client-id", "agent-cli", "--allow-http-loopback", "--json"]
  }

  var url: String { event["url"]?.string ?? "" }
  var redirectURI: String { event["redirect_uri"]?.string ?? "" }

  /// The `state` of the authorization request, which must not be pushed.
  func state() throws -> String { try Self.value(of: "state", in: url) }

  /// Waits for the sign-in's end. Skips notices.
  func end() throws -> (event: JSON, status: ProcessStatus) {
    var event = try next()
    while event["event"] == "notice" { event = try next() }
    return (event, try login.wait())
  }

  func next() throws -> JSON { try JSON(parsing: Array(login.readLine().utf8)) }

  /// Interrupts the sign-in, and waits until its port is closed.
  func giveUp() throws {
    try login.signal(Signals.SIGINT)
    #expect(try login.wait() == .exited(130))
    // The daemon notices when it reads the connection's end.
    let deadline = Instant.now.advanced(by: .testLimit)
    while try Self.browse(redirectURI) != "000" {
      try #require(Instant.now < deadline, "the port stays open")
      Threads.sleep(for: .milliseconds(20))
    }
  }

  // MARK: The browser

  static let curl = "curl -qsS --noproxy '*' --max-time 1800 -o /dev/null"

  /// The HTTP status of the page at which the browser ends, or `000` if nothing listens.
  @discardableResult
  static func browse(_ url: String, _ options: String = "") throws -> String {
    try ProcessRunner.shell("\(curl) -L -w '%{http_code}' \(options) '\(url)'").outputText
  }

  /// The URL to which the issuer redirects a browser.
  static func redirect(_ url: some StringProtocol) throws -> String {
    try ProcessRunner.shell("\(curl) -w '%{redirect_url}' '\(url)'").outputText
  }

  static func value(of name: String, in url: String) throws -> String {
    let query = try #require(try URI(url).query)
    return try #require(try Form.parse(query).first { $0.name == name }).value
  }
}
