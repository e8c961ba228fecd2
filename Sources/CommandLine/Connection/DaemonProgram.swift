internal import Platform
internal import Wire

/// Finds and starts `agentd` or `agent-lease`.
struct DaemonProgram {
  private let name: String

  static let daemon = DaemonProgram(name: "agentd")
  static let lease = DaemonProgram(name: LeaseProgram.name)

  /// The paths to try: in an installation, then in a build tree.
  func candidates(near executable: String) -> [String] {
    ProgramTree.candidatePaths(near: executable, installed: "libexec/\(name)", built: name)
  }

  /// The first inherited descriptor's number in the started program.
  static let firstInheritedDescriptor: Int32 = 3

  /// Starts the program without a terminal. `inherited` descriptors get the numbers from ``firstInheritedDescriptor``.
  /// Unless `needsHome`, replaces an unset `HOME` by `/nonexistent`.
  func start(arguments: [String], inheriting inherited: [Int32], needsHome: Bool = true) throws(Failure)
    -> DaemonProcess
  {
    var environment = Self.environment(from: Environment.all())
    if !needsHome, (Environment.value("HOME") ?? "").isEmpty { environment.append("HOME=/nonexistent") }
    for candidate in candidates(near: Machine.executablePath()) {
      do {
        return try start(candidate, arguments: arguments, environment, inheriting: inherited)
      } catch  where !error.isNotFound {
        throw Failure(
          .invalidConfiguration, Phrase("cannot start \(candidate): \(Phrase(known: error.message))"))
      } catch {
        continue
      }
    }
    throw missingFailure
  }

  var missingFailure: Failure {
    let paths = candidates(near: Machine.executablePath()).joined(separator: " nor ")
    return Failure(
      .invalidConfiguration, Phrase("\(name) is missing: it is neither \(paths)"),
      hint: Phrase("install agent and \(name) together"))
  }

  private func start(
    _ executable: String, arguments: [String], _ environment: [String], inheriting inherited: [Int32]
  ) throws(SystemError) -> DaemonProcess {
    let errors = try Pipe()
    let passed = inherited.enumerated().map { (parent: $1, child: Self.firstInheritedDescriptor + Int32($0)) }
    let request = Spawn.Request(
      executable: executable, arguments: [name] + arguments, environment: environment,
      newSession: true, inherits: passed + [(errors.writing.raw, 2)], nullStandardStreams: true, directory: "/")
    let process = try Spawn.start(request)
    return DaemonProcess(name, processID: process, errors: SharedDescriptor(errors.reading))
  }

  /// The variables that `agentd` gets, as `NAME=VALUE`.
  static func environment(from variables: [(String, String)]) -> [String] {
    let kept = variables.filter { DaemonEnvironment.keeps($0.0) }
    // Crash reports would print memory with tokens.
    return kept.map { "\($0)=\($1)" } + ["SWIFT_BACKTRACE=enable=no"]
  }
}
