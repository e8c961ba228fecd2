internal import Crypto
internal import Encoding
internal import HTTP
internal import Platform
internal import Sessions
internal import Vault
internal import Wire

/// The program `agentd`.
package enum DaemonMain {
  /// The exit status if another daemon serves the directory.
  private static let alreadyRunningStatus: Int32 = 75

  /// The daemon refuses to start below these limits. Those without `isForAll` apply only if a client started it.
  private static let minimumLimits: [(limit: ResourceLimit, name: String, minimum: Int, isForAll: Bool)] = [
    (.descriptors, "RLIMIT_NOFILE (ulimit -n)", 40, true), (.fileBytes, "RLIMIT_FSIZE (ulimit -f)", 1 << 20, false),
    (.processorSeconds, "RLIMIT_CPU (ulimit -t)", 60, false),
  ]

  /// Runs the daemon or prints its version. Returns the exit status.
  package static func run(arguments: [String]) -> Int32 {
    if arguments.dropFirst().first == "--version" { return printVersion(arguments.dropFirst(2)) }
    do {
      let invocation = try DaemonInvocation(arguments, environment: Environment.all())
      let journalStream = Environment.value("JOURNAL_STREAM")
      // A library must not read them.
      Environment.keepOnly(where: DaemonEnvironment.keeps)
      // The first caller's limits must not apply to the daemon (invariant: nobody inherits).
      ResourceLimit.raiseAll()
      if invocation.isStartedByClient {
        ProcessHardening.runOnAllProcessors()
        ProcessHardening.resetPriority()
      }
      for (limit, name, minimum, isForAll) in minimumLimits where isForAll || invocation.isStartedByClient {
        guard let soft = limit.soft, soft < minimum else { continue }
        printError("\(name): \(soft) < \(minimum)")
        return ExitStatus.failed.rawValue
      }
      try TPMAccess.prepareEnvironment()
      MemoryUse.limitArenas()
      try ProcessHardening.harden()
      // An unlocked heap still works.
      _ = SecureHeap.initialise()
      return try serve(
        invocation, mirror: invocation.isForeground ? LogMirror.standardError(journalStream: journalStream) : nil)
    } catch let error as DaemonInvocation.Problem {
      printError(error.message)
      return ExitStatus.usage.rawValue
    } catch let error as SystemError {
      if error.wouldBlock {
        printError("the system allows no more threads or processes")
      } else {
        printError("\(error.operation): \(error.message)")
      }
    } catch let error as DirectoryError {
      printError(error.message)
    } catch {
      printError("cannot start")
    }
    return ExitStatus.failed.rawValue
  }

  /// Returns the exit status.
  private static func serve(_ invocation: DaemonInvocation, mirror: LogMirror?) throws -> Int32 {
    if let foreign = UserDirectories.foreign {
      printError("\(foreign.variable) is \(foreign.path), which belongs to another user than root; use sudo -i")
      return ExitStatus.failed.rawValue
    }
    let signals = try Signals.SignalReceiver([Signals.SIGTERM, Signals.SIGINT, Signals.SIGHUP])
    let http = CurlClient(userAgent: "agent/\(Product.version)")
    let time = SystemTime()
    let state = try UserDirectories.stateHome + "/agent"
    let services = SessionServices(
      vault: Vault(
        stateDirectory: state, machineIdentity: Machine.identity(), userID: Machine.userID, tpm: .ofThisMachine()),
      http: http, time: time,
      documents: DocumentCache(directory: try UserDirectories.cacheHome + "/agent", http: http, time: time),
      settingsDirectory: try UserDirectories.configHome + "/agent")
    let settingsFile = SettingsFile(directory: services.settingsDirectory)
    var ready: FileDescriptor?
    let servedSocket: Server.ServedSocket
    do {
      servedSocket = try invocation.open(ready: &ready)
    } catch let error as SystemError where error.wouldBlock {
      if invocation.isForeground {
        printError("another daemon serves this directory already; to end it: agent daemon stop")
      }
      return alreadyRunningStatus
    }
    let server = try Server(
      servedSocket, services: services, settingsFile: settingsFile,
      files: WatchedFiles(settings: settingsFile, vault: services.vault), log: EventLog(time: time, mirror: mirror),
      signals: signals,
      housekeeping: {
        http.closeIdle()
        MemoryUse.trim()
        if services.hasUnwritten { try? Threads.start(name: "settling") { services.retryWrites() } }
      })
    if let ready = ready.take() {
      try ready.writeAll([UInt8(ascii: "1")].span)
      try ready.close()
    }
    try server.run()
    return ExitStatus.done.rawValue
  }

  private static func printVersion(_ rest: ArraySlice<String>) -> Int32 {
    do {
      if rest.isEmpty {
        try Output.write(VersionInfo.text, to: .standardOutput)
      } else if rest.elementsEqual(["--json"]) {
        try Output.write((JSON.object(VersionInfo.json).serialized() + [UInt8(ascii: "\n")]).span, to: .standardOutput)
      } else {
        printError("the only option beside --version is --json")
        return ExitStatus.usage.rawValue
      }
    } catch {
      printError("the version could not be written to standard output: \(error.message)")
      return ExitStatus.failed.rawValue
    }
    return ExitStatus.done.rawValue
  }

  private static func printError(_ message: String) {
    try? Output.write("agentd: error: \(message)\n", to: .standardError)
  }
}
