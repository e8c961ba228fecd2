import Crypto
import Encoding
import JOSE
import Platform

/// The program `devissuer`: an authorization server for trying things out, tests and benchmarks.
@main
enum DevelopmentIssuerProgram {
  /// Why the issuer cannot start; one sentence, lower case, no full stop.
  struct StartError: Error {
    let message: String
    init(_ message: String) { self.message = message }
  }

  static func main() { Processes.exit(run(Array(CommandLine.arguments.dropFirst()))) }

  /// Runs until SIGTERM or SIGINT.
  ///
  /// - Parameter arguments: Without the name of the program; ``IssuerSetting`` lists them.
  /// - Returns: The exit status: 0 ended as asked, 1 could not start or go on, 2 wrong usage.
  static func run(_ arguments: [String]) -> Int32 {
    do {
      guard let settings = try IssuerCommandLine.settings(arguments) else {
        try Output.write(IssuerCommandLine.help, to: .standardOutput)
        return 0
      }
      try serve(settings)
      return 0
    } catch let problem as IssuerCommandLine.Problem {
      tell("error: \(TerminalText.clean(problem.message))\ndevissuer: hint: try devissuer --help")
      return 2
    } catch {
      tell("error: \((error as? StartError)?.message ?? "\(error)")")
      return 1
    }
  }

  /// A JWK Set of a file, with one key at least.
  private static func keySet(_ name: String, _ failure: String) throws -> JSON {
    let text = try attempt(failure) {
      try FileDescriptor(opening: name, for: .reading).readToEnd(limit: JWKSet.maximumByteCount)
    }
    let keys = try attempt(failure) { try JWKSet(parsing: text) }
    if keys.keys.isEmpty { throw StartError("the file has no public key that can be used") }
    return try JSON(parsing: keys.serialized())
  }

  private static func serve(_ settings: IssuerSettings) throws {
    Signals.ignoreFailingWrites()
    // Before there are threads, so that no other one takes the signals.
    let signals = try Signals.SignalReceiver([Signals.SIGTERM, Signals.SIGINT])
    let secret = try Seal.opaque()
    if let name = settings.text("--client-secret-file") {
      // Never into a file that is there: that one might be readable for others, or precious.
      let exists = (try? FileDescriptor(opening: name, for: .writing)) != nil
      guard !exists else { throw StartError("the client secret file is there already") }
      try attempt("cannot write the client secret file") {
        let file = try FileDescriptor(opening: name, for: .replacing)
        try file.writeAll(Array(secret.utf8).span)
      }
    }
    let keys = try settings.text("--client-jwks").map { try keySet($0, "cannot use the client's keys") }
    let platformKeys = try settings.text("--platform-jwks").map { try keySet($0, "cannot use the platform's keys") }
    let authorities = try settings.text("--ca-file").map { name in
      try attempt("cannot read the authorities") {
        try FileDescriptor(opening: name, for: .reading).readToEnd(limit: 1 << 20)
      }
    }
    let log = try settings.text("--log").map { name in try attempt("cannot open the log") { try Self.log(name) } }
    let server = try attempt("cannot listen") {
      try IssuerServer(
        settings, clientSecret: secret, clientKeys: keys, platformKeys: platformKeys, authorities: authorities, log: log
      )
    }
    tell("a development tool, not an identity provider: no passwords, no persistence, 127.0.0.1 only")
    var ready: JSONObject = [
      "event": "ready", "issuer": .string("http://127.0.0.1:\(server.port)"),
      "client_id": .string(IssuerClient.publicID), "confidential_client_id": .string(IssuerClient.confidentialID),
    ]
    if keys != nil { ready["jwt_client_id"] = .string(IssuerClient.keyID) }
    ready["client_secret_file"] = settings.text("--client-secret-file").map(JSON.string)
    // The first line on standard output, for the program that started this one.
    try Output.write(String(decoding: JSON.object(ready).serialized(), as: UTF8.self) + "\n", to: .standardOutput)
    try server.serve(untilReadable: signals.raw)
  }

  private static func attempt<Result>(_ problem: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      throw StartError("\(problem): \((error as? SystemError)?.message ?? "\(error)")")
    }
  }

  /// A file, emptied or made with mode 0600, or "-" for standard error. One that cannot be written is no reason to answer
  /// otherwise.
  private static func log(_ name: String) throws -> @Sendable (String) -> Void {
    guard name != "-" else { return { try? Output.write($0, to: .standardError) } }
    let file = SharedDescriptor(try FileDescriptor(opening: name, for: .replacing))
    return { try? file.descriptor.writeAll(Array($0.utf8).span) }
  }

  private static func tell(_ text: String) {
    try? Output.write("devissuer: \(text)\n", to: .standardError)
  }
}
