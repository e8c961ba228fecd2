internal import Encoding
internal import Platform
internal import Wire

extension Agent {
  /// Starts the daemon if it is not running, even at a socket that you specified.
  ///
  /// The daemon is not this process's child and outlives it. Concurrent calls start only one.
  ///
  /// - Throws: ``AgentError/Remedy/fixConfiguration`` if the program `agent` is missing or cannot find `agentd`.
  public func start() async throws(AgentError) {
    do throws(Failure) {
      try await OwnThread.run { [self] () throws(Failure) in
        if try connectIfRunning() == nil { try startDaemon() }
      }
    } catch {
      throw AgentError(error)
    }
  }

  /// The timeout of `agent daemon start`.
  private static let timeout = Duration.seconds(60)
  private static let maximumOutputBytes = 64 << 10

  /// Starts the daemon, and blocks until it listens.
  func startDaemon() throws(Failure) {
    let program = try agentProgram()
    let result: InstalledProgram.Result
    do throws(SystemError) {
      result = try program.run(
        ["daemon", "start", "--json"], changes: socketPath.map { ["AGENT_SOCKET": $0] } ?? [:], joinsErrors: true,
        timeout: Self.timeout, limit: Self.maximumOutputBytes)
    } catch {
      throw Failure(.daemonUnavailable, verbatim: "\(program.path) could not start the daemon: \(error.message)")
    }
    guard !result.succeeded else { return }
    let last = result.output.split(separator: UInt8(ascii: "\n")).last.flatMap { try? JSON(parsing: Array($0)) }
    throw last?["error"].flatMap { Failure(json: $0) }
      ?? Failure(.daemonUnavailable, verbatim: "\(program.path) could not start the daemon")
  }

  /// Finds `agent`: at ``programPath``, otherwise next to this program or in `PATH`.
  private func agentProgram() throws(Failure) -> InstalledProgram {
    if let programPath {
      guard let program = InstalledProgram(programPath) else {
        throw Failure(.invalidConfiguration, verbatim: "program not found: \(programPath)")
      }
      return program
    }
    let own = Machine.executablePath()
    let directory = own.lastIndex(of: "/").map { String(own[..<$0]) } ?? ""
    guard let program = InstalledProgram("\(directory)/agent") ?? InstalledProgram("agent") else {
      throw Failure(
        .invalidConfiguration, verbatim: "the program agent is neither in \(directory) nor on the PATH",
        hint: "install agent")
    }
    return program
  }
}
