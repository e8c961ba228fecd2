import Encoding
import Platform
import TestSupport
import Testing

/// A test's own `devissuer`.
final class Issuer: Sendable {
  let url: String
  let port: UInt16
  private let process: RunningProcess
  /// The number of requests by the test itself, which the issuer counts too.
  private let controlRequests = Monitor(0)

  /// Runs `body` with a new issuer, then ends it. The default `approval` approves all sign-ins; `never` denies them,
  /// and `ask` waits.
  static func with<Result>(
    approval: String = "always", _ options: [String] = [], _ body: (Issuer) throws -> Result
  ) throws -> Result {
    let issuer = try Issuer(["--approve", approval] + options)
    defer { issuer.stop() }
    return try body(issuer)
  }

  /// Starts an issuer for code that cannot be in ``with(approval:_:_:)``. Call ``stop()`` at the end.
  static func start(_ options: [String] = []) throws -> Issuer { try Issuer(["--approve", "always"] + options) }

  /// Uses an elliptic curve by default, since generating an RSA key takes a tenth of a second.
  private init(_ options: [String]) throws {
    let algorithm = options.contains("--algorithm") ? [] : ["--algorithm", "ES256"]
    process = try RunningProcess(
      executable: Programs.path("devissuer"),
      arguments: ["--port", "0", "--control", "--interval", "1"] + algorithm + options)
    let ready = try JSON(parsing: Array(process.readLine().utf8))
    try #require(ready["event"]?.string == "ready")
    url = try #require(ready["issuer"]?.string)
    port = try #require(URI(url).port)
  }

  /// Ends the issuer. Later connections are refused.
  func stop() {
    do {
      let status = try process.terminate()
      #expect(status == .exited(0) || status == .signalled(Signals.SIGKILL), "\(process.errorText)")
    } catch {
      Issue.record(error, "the issuer did not end")
    }
  }

  var processID: Int32 { process.processID }

  /// Stops the issuer by SIGSTOP during `body`.
  func silent<Result>(_ body: () throws -> Result) throws -> Result {
    try process.signal(Signals.SIGSTOP)
    defer { try? process.signal(Signals.SIGCONT) }
    try ProcessFiles.awaitStop(of: process.processID)
    return try body()
  }

  func control(_ name: String, _ value: String, _ more: (String, String)...) throws {
    try control([(name, value)] + more)
  }

  func control(_ switches: [(String, String)]) throws {
    controlRequests.withLock { $0 += 1 }
    let answer = try PlainHTTP.post(port: port, "/control", switches)
    try #require(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
  }

  func count(_ counter: String) throws -> Int {
    controlRequests.withLock { $0 += 1 }
    let answer = try PlainHTTP.get(port: port, "/control")
    return try #require(JSON(parsing: answer.body)[counter]?.int, "there is no counter \(counter)")
  }

  /// The number of requests, except those of the test itself.
  func requests() throws -> Int {
    try count("requests") - controlRequests.withLock { $0 }
  }

  func await(_ counter: String, _ value: Int) throws {
    let deadline = Instant.now.advanced(by: .testLimit)
    while try count(counter) < value {
      try #require(Instant.now < deadline, "\(counter) stays below \(value)")
      Threads.sleep(for: .milliseconds(20))
    }
  }
}
