import Crypto
import Encoding
import JOSE
import Platform

/// The program `devissuer`: an authorization server for trying things out, tests and benchmarks.
package enum DevIssuerMain {
  private static let notice = """
    devissuer: a development tool, not an identity provider: no passwords, no persistence, 127.0.0.1 only

    """

  /// Runs until SIGTERM or SIGINT.
  ///
  /// - Parameter arguments: Without the name of the program; ``CommandLineReader`` names them.
  /// - Returns: The exit status: 0 ended as asked, 1 could not start or go on, 2 wrong usage.
  package static func run(arguments: [String]) -> Int32 {
    do throws(UsageError) {
      switch try CommandLineReader.read(arguments) {
      case .help: return print(CommandLineReader.help) ? 0 : 1
      case .run(let options): return run(options)
      }
    } catch {
      complain(error.message)
      tell("devissuer: hint: try devissuer --help\n")
      return 2
    }
  }

  private static func run(_ options: Options) -> Int32 {
    do throws(StartError) {
      Signals.ignoreBrokenPipe()
      // Before there are threads, so that no other one takes the signals.
      let signals = try Signals.SignalReceiver(stopping: ())
      let secret = try clientSecret(options)
      var options = options
      options.clientKeys = try options.clientKeyFile.map(clientKeys)
      let server = try Server(options: options, clientSecret: secret, log: try log(options))
      tell(notice)
      guard print(ready(server, options)) else { return 1 }
      try serve(server, signals)
      return 0
    } catch {
      complain(error.message)
      return 1
    }
  }

  private static func serve(
    _ server: Server, _ signals: borrowing Signals.SignalReceiver
  ) throws(StartError) {
    do throws(SystemError) {
      try server.serve(untilReadable: signals.raw)
    } catch {
      throw .system(error)
    }
  }

  private static func clientSecret(_ options: Options) throws(StartError) -> String {
    let secret: String
    do throws(CryptoError) {
      secret = try OpaqueKey.random().text
    } catch {
      throw .crypto(error)
    }
    guard let file = options.clientSecretFile else { return secret }
    guard !ClientSecretFile.exists(file) else { throw .clientSecretFileExists }
    do throws(SystemError) {
      try ClientSecretFile.write(secret, to: file)
    } catch {
      throw .clientSecretFile(error)
    }
    return secret
  }

  private static func clientKeys(_ file: String) throws(StartError) -> JWKSet {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try FileDescriptor(opening: file, for: .reading).readToEnd(limit: JWKSet.maximumByteCount)
    } catch {
      throw .clientKeyFile(error)
    }
    guard let keys = try? JWKSet(parsing: bytes), !keys.keys.isEmpty else { throw .clientKeys }
    return keys
  }

  private static func log(_ options: Options) throws(StartError) -> RequestLog? {
    guard let name = options.log else { return nil }
    do throws(SystemError) {
      return try RequestLog(name)
    } catch {
      throw .log(error)
    }
  }

  /// The first line on standard output, for the program that started this one.
  private static func ready(_ server: Server, _ options: Options) -> String {
    var line: JSONObject = [
      "event": "ready",
      "issuer": .string(server.issuer.issuer),
      "client_id": .string(RegisteredClient.publicID),
      "confidential_client_id": .string(RegisteredClient.confidentialID),
    ]
    if options.clientKeys != nil { line["jwt_client_id"] = .string(RegisteredClient.keyID) }
    if let file = options.clientSecretFile { line["client_secret_file"] = .string(file) }
    return String(decoding: JSON.object(line).serialized(), as: UTF8.self) + "\n"
  }

  private static func print(_ text: String) -> Bool {
    do {
      try Output.write(text, to: .standardOutput)
      return true
    } catch {
      complain("cannot write to standard output: \(error.message)")
      return false
    }
  }

  private static func complain(_ message: String) {
    tell("devissuer: error: \(TerminalText.clean(message))\n")
  }

  /// Nobody can be told when this fails.
  private static func tell(_ text: String) {
    try? Output.write(text, to: .standardError)
  }
}

extension Signals.SignalReceiver {
  /// Receives what asks the program to end.
  fileprivate init(stopping: Void) throws(StartError) {
    do throws(SystemError) {
      try self.init([Signals.SIGTERM, Signals.SIGINT])
    } catch {
      throw .system(error)
    }
  }
}
