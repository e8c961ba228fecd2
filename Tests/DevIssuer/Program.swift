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

  private static func serve(_ settings: IssuerSettings) throws {
    Signals.ignoreBrokenPipe()
    // Before there are threads, so that no other one takes the signals.
    let signals = try Signals.SignalReceiver([Signals.SIGTERM, Signals.SIGINT])
    var settings = settings
    let secret = try DevelopmentIssuer.opaque()
    if let file = settings.clientSecretFile { try write(secret, to: file) }
    settings.clientKeys = try settings.clientKeyFile.map(keys)
    let log = try settings.log.map(log)
    let server: IssuerServer
    do {
      server = try IssuerServer(settings, clientSecret: secret, log: log)
    } catch let error as SystemError {
      throw StartError(error.isAddressInUse ? "the port is in use" : "cannot listen: \(error.message)")
    }
    tell("a development tool, not an identity provider: no passwords, no persistence, 127.0.0.1 only")
    var ready: JSONObject = [
      "event": "ready", "issuer": .string("http://127.0.0.1:\(server.port)"),
      "client_id": .string(IssuerClient.publicID), "confidential_client_id": .string(IssuerClient.confidentialID),
    ]
    if settings.clientKeys != nil { ready["jwt_client_id"] = .string(IssuerClient.keyID) }
    ready["client_secret_file"] = settings.clientSecretFile.map(JSON.string)
    // The first line on standard output, for the program that started this one.
    try Output.write(String(decoding: JSON.object(ready).serialized(), as: UTF8.self) + "\n", to: .standardOutput)
    try server.serve(untilReadable: signals.raw)
  }

  /// Never into a file that is there: that one might be readable for others, or precious.
  private static func write(_ secret: String, to name: String) throws {
    do {
      if (try? FileDescriptor(opening: name, for: .writing)) != nil {
        throw StartError("the client secret file is there already")
      }
      let file = try FileDescriptor(opening: name, for: .replacing)
      try file.writeAll(Array(secret.utf8).span)
      try file.close()
    } catch let error as SystemError {
      throw StartError("cannot write the client secret file: \(error.message)")
    }
  }

  private static func keys(_ name: String) throws -> JWKSet {
    do {
      let file = try FileDescriptor(opening: name, for: .reading)
      let keys = try JWKSet(parsing: try file.readToEnd(limit: JWKSet.maximumByteCount))
      guard !keys.keys.isEmpty else { throw JOSEError(.unknownKey) }
      return keys
    } catch let error as SystemError {
      throw StartError("cannot read the client's keys: \(error.message)")
    } catch is JOSEError {
      throw StartError("the file has no public key that can be used")
    }
  }

  /// A file, emptied or made with mode 0600, or "-" for standard error.
  private static func log(_ name: String) throws -> @Sendable (String) -> Void {
    // A log that cannot be written is no reason to answer otherwise.
    guard name != "-" else { return { try? Output.write($0, to: .standardError) } }
    do {
      let file = SharedDescriptor(try FileDescriptor(opening: name, for: .replacing))
      return { try? file.descriptor.writeAll(Array($0.utf8).span) }
    } catch {
      throw StartError("cannot open the log: \(error.message)")
    }
  }

  private static func tell(_ text: String) {
    try? Output.write("devissuer: \(text)\n", to: .standardError)
  }
}
