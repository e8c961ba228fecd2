internal import Encoding
internal import Platform
internal import Wire

/// `agent daemon …`.
enum DaemonCommand {
  /// How long a daemon that was told to stop may take.
  private static let patience = Duration.seconds(10)

  @Sendable static func start(_ invocation: Invocation) throws(Failure) -> Int32 {
    try refuseNoDaemon(invocation)
    let wasRunning = try DaemonLauncher.connect(Console(invocation)) != nil
    let result = try ask(.daemonStatus, invocation, start: true)
    return try tell(result, wasRunning ? "the daemon runs already" : "the daemon was started", invocation)
  }

  @Sendable static func stop(_ invocation: Invocation) throws(Failure) -> Int32 {
    try refuseNoDaemon(invocation)
    let wasRunning = try stopIfRunning(invocation)
    return try tell(JSONObject(), wasRunning ? "the daemon was stopped" : "the daemon is not running", invocation)
  }

  @Sendable static func restart(_ invocation: Invocation) throws(Failure) -> Int32 {
    try refuseNoDaemon(invocation)
    _ = try stopIfRunning(invocation)
    return try tell(try ask(.daemonStatus, invocation, start: true), "the daemon was started", invocation)
  }

  @Sendable static func status(_ invocation: Invocation) throws(Failure) -> Int32 {
    try refuseNoDaemon(invocation)
    let result = try ask(.daemonStatus, invocation, start: false)
    if invocation.has(.json) {
      try Console.answer(result)
    } else {
      var listing = Listing()
      listing.add(["daemon", StatusCommand.daemon(.object(result))])
      if let socket = result["socket"]?.string { listing.add(["socket", socket]) }
      try Console.answer(listing.text)
    }
    return 0
  }

  @Sendable static func runInForeground(_ invocation: Invocation) throws(Failure) -> Int32 {
    try refuseNoDaemon(invocation)
    let environment = DaemonProgram.environment(from: Environment.all())
    for candidate in DaemonProgram.candidates(besides: Machine.executablePath()) {
      let error = Spawn.replaceProcess(
        executable: candidate, arguments: ["agentd", "--foreground"], environment: environment)
      guard error.isNotFound else {
        throw Failure(.invalidConfiguration, "\(candidate) could not be started: \(error.message)")
      }
    }
    throw DaemonProgram.missing
  }

  static func ask(_ request: Request, _ invocation: Invocation, start: Bool) throws(Failure) -> JSONObject {
    let console = Console(invocation)
    guard var connection = start ? try DaemonLauncher.connectOrStart(console) : try DaemonLauncher.connect(console)
    else {
      throw Failure(.daemonUnavailable, "the daemon is not running", hint: "agent daemon start")
    }
    return try DaemonClient(invocation).ask(request, over: &connection)
  }

  /// Whether there was one to stop. When it returns, that process has ended and let go of its lock.
  private static func stopIfRunning(_ invocation: Invocation) throws(Failure) -> Bool {
    guard var connection = try DaemonLauncher.connect(Console(invocation)) else { return false }
    let result = try DaemonClient(invocation).ask(.daemonStop, over: &connection)
    // The answer comes last, so the process may be gone already.
    guard let number = result["pid"]?.int, let process = try? Spawn.processDescriptor(Int32(clamping: number)) else {
      return true
    }
    guard (try? process.waitUntilReadable(timeout: patience)) == true else {
      throw Failure(.daemonUnavailable, "the daemon was told to stop and has not ended yet")
    }
    return true
  }

  private static func tell(_ result: JSONObject, _ message: String, _ invocation: Invocation) throws(Failure) -> Int32 {
    if invocation.has(.json) {
      try Console.answer(result)
    } else {
      Console(invocation).note(message)
    }
    return 0
  }

  static func refuseNoDaemon(_ invocation: Invocation) throws(Failure) {
    guard invocation.has(.noDaemon) else { return }
    throw Failure(.invalidRequest, "\"--no-daemon\" and \"daemon\" contradict each other")
  }
}
