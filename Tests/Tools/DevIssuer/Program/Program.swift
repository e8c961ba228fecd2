import Crypto
import Encoding
import Platform

/// An authorization server for experiments, tests and benchmarks.
@main
enum DevelopmentIssuerProgram {
  private typealias Problem = IssuerCommandLine.Problem

  static func main() { Processes.exit(run(Array(CommandLine.arguments.dropFirst()))) }

  /// Runs until SIGTERM or SIGINT.
  ///
  /// - Parameter arguments: Options of ``IssuerSetting``, without the program's name.
  /// - Returns: The exit status: 0 after a signal, 1 if it could not start or continue, 2 for wrong usage.
  static func run(_ arguments: [String]) -> Int32 {
    do {
      guard let settings = try IssuerCommandLine.settings(arguments) else {
        try Output.write(IssuerCommandLine.help, to: .standardOutput)
        return 0
      }
      try serve(settings)
      return 0
    } catch {
      let problem = error as? Problem ?? Problem("\(error)", status: 1)
      tell("error: \(TerminalText.clean(problem.message))")
      if problem.status == 2 { tell("hint: try devissuer --help") }
      return problem.status
    }
  }

  /// The content of an option's file; nil without the option.
  private static func file(_ option: String, _ settings: IssuerSettings, limit: Int) throws -> [UInt8]? {
    try settings.text(option).map { name in
      try attempt("cannot read the file of \(option)") {
        try FileDescriptor(opening: name, for: .reading).readToEnd(limit: limit)
      }
    }
  }

  /// The JWK Set in an option's file, with at least one key.
  private static func keySet(_ option: String, _ settings: IssuerSettings) throws -> JSON? {
    guard let text = try file(option, settings, limit: JWKSet.maximumByteCount) else { return nil }
    let keys = try attempt("cannot use the keys of \(option)") { try JWKSet(parsing: text) }
    if keys.keys.isEmpty { throw Problem("the file of \(option) has no public key that can be used", status: 1) }
    return try JSON(parsing: keys.serialized())
  }

  private static func serve(_ settings: IssuerSettings) throws {
    Signals.ignoreFailingWrites()
    // Before other threads, which could receive the signals.
    let signals = try Signals.SignalReceiver([Signals.SIGTERM, Signals.SIGINT])
    let secret = try Seal.opaque()
    if let name = settings.text("--client-secret-file") {
      // The existing file might be readable for others, or important.
      let exists = (try? FileDescriptor(opening: name, for: .writing)) != nil
      guard !exists else { throw Problem("the client secret file is there already", status: 1) }
      try attempt("cannot write the client secret file") {
        let file = try FileDescriptor(opening: name, for: .replacing)
        try file.writeAll(Array(secret.utf8).span)
      }
    }
    let keys = try keySet("--client-jwks", settings)
    let platformKeys = try keySet("--platform-jwks", settings)
    let authorities = try file("--ca-file", settings, limit: 1 << 20)
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
    // The first line on standard output is for the program that started this one.
    try Output.write(String(decoding: JSON.object(ready).serialized(), as: UTF8.self) + "\n", to: .standardOutput)
    try server.serve(untilReadable: signals.raw)
  }

  private static func attempt<Result>(_ problem: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      throw Problem("\(problem): \((error as? SystemError)?.message ?? "\(error)")", status: 1)
    }
  }

  /// Opens a log file, truncated or created with mode 0600; "-" is standard error. Writing ignores errors.
  private static func log(_ name: String) throws -> @Sendable (String) -> Void {
    guard name != "-" else { return { try? Output.write($0, to: .standardError) } }
    let file = SharedDescriptor(try FileDescriptor(opening: name, for: .replacing))
    return { try? file.descriptor.writeAll(Array($0.utf8).span) }
  }

  private static func tell(_ text: String) {
    try? Output.write("devissuer: \(text)\n", to: .standardError)
  }
}

/// Parses the command line strictly: no unknown or repeated options, no operands.
enum IssuerCommandLine {
  /// An invalid command line, or an issuer that cannot start.
  struct Problem: Error, Hashable {
    /// A sentence in lowercase, without a full stop.
    let message: String
    let status: Int32

    init(_ message: String, status: Int32 = 2) { (self.message, self.status) = (message, status) }
  }

  /// Nil if help is requested.
  static func settings(_ arguments: [String]) throws(Problem) -> IssuerSettings? {
    var settings = IssuerSettings()
    var seen: Set<String> = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--help" || argument == "-h" { return nil }
      let (name, given) = ASCII.halves(argument, at: "=")
      guard let row = IssuerSetting.all.first(where: { $0.option == name }) else {
        throw Problem(argument.hasPrefix("-") ? "unknown option \(name)" : "unexpected argument \(argument)")
      }
      guard seen.insert(name).inserted || row.mayRepeat else { throw Problem("\(name) comes twice") }
      guard row.values != nil || given == nil else { throw Problem("\(name) takes no value") }
      guard let value = row.values == nil ? row.implied : given ?? rest.popFirst() else {
        throw Problem("\(name) needs a value")
      }
      guard row.set(&settings, value) else { throw Problem("\(name): wrong value; it takes \(row.values ?? "none")") }
    }
    return settings
  }

  static var help: String {
    let column = 32
    let rows = IssuerSetting.all.compactMap { row in
      row.option.map { option in
        let left = "  " + option + (row.values.map { " " + $0 } ?? "")
        return left + String(repeating: " ", count: max(1, column - left.count))
          + row.help.replacing("\n", with: "\n" + String(repeating: " ", count: column))
      }
    }
    let parameters = IssuerSetting.all.compactMap(\.parameter) + DevelopmentIssuer.controlActions.map(\.name)
    return """
      usage: devissuer [OPTION]…

      An OAuth 2.0 and OpenID Connect authorization server for development and tests.
      It listens on 127.0.0.1 only, asks for no password, and forgets everything when it ends.

      \(rows.joined(separator: "\n"))
        --help                        print this

      POST requests to /control take a form with these names; off ends a fault:
        \(IssuerSetting.lines(parameters.sorted(), width: 90).replacing("\n", with: "\n  "))

      The first line on standard output is a JSON object that names the issuer and the clients.

      """
  }
}
