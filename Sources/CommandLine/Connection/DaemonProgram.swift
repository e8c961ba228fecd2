internal import AgentSocket
internal import Platform
internal import Wire

/// Finds and starts the program `agentd`.
enum DaemonProgram {
  /// Candidate paths of `agentd`, in order of preference: installed, and in a build tree.
  ///
  /// They are relative to this program's own file, so that an installed tree can be moved.
  static func candidates(besides executable: String) -> [String] {
    ProgramTree.places(besides: executable, installed: "libexec/agentd", built: "agentd")
  }

  /// The number of the descriptor that ``start(arguments:inheriting:needsHome:)`` passes.
  static let inheritedNumber: Int32 = 3

  /// Starts `agentd` without the terminal, with a clean environment.
  ///
  /// - Parameters:
  ///   - inherited: A descriptor to pass, as ``inheritedNumber``.
  ///   - needsHome: Whether a missing home directory is an error.
  /// - Throws: `invalid_configuration` if the program does not exist.
  static func start(
    arguments: [String], inheriting inherited: borrowing FileDescriptor, needsHome: Bool = true
  ) throws(Failure) -> DaemonProcess {
    var environment = environment(from: Environment.all())
    if !needsHome, (Environment.value("HOME") ?? "").isEmpty { environment.append("HOME=/nonexistent") }
    for candidate in candidates(besides: Machine.executablePath()) {
      do {
        return try start(candidate, arguments: arguments, environment, inheriting: inherited)
      } catch  where !error.isNotFound {
        throw Failure(
          .invalidConfiguration, Phrase("\(candidate) could not be started: \(Phrase(known: error.message))"))
      } catch {
        continue
      }
    }
    throw missing
  }

  /// The failure if no candidate exists.
  static var missing: Failure {
    let places = candidates(besides: Machine.executablePath()).joined(separator: " nor ")
    return Failure(
      .invalidConfiguration, "agentd is missing: it is neither \(places)", hint: "install agent and agentd together")
  }

  private static func start(
    _ executable: String, arguments: [String], _ environment: [String], inheriting inherited: borrowing FileDescriptor
  ) throws(SystemError) -> DaemonProcess {
    let errors = try Pipe()
    let request = Spawn.Request(
      executable: executable, arguments: ["agentd"] + arguments, environment: environment,
      newSession: true, inherits: [(inherited.raw, inheritedNumber), (errors.writing.raw, 2)],
      nullStandardStreams: true, directory: "/")
    let process = try Spawn.start(request)
    return DaemonProcess(process: process, errors: SharedDescriptor(errors.reading))
  }

  /// The part of the caller's environment that `agentd` gets.
  static func environment(from variables: [(String, String)]) -> [String] {
    let kept = variables.filter { DaemonEnvironment.keeps($0.0) }
    // The runtime's crash reports print memory, which contains tokens.
    return kept.map { "\($0)=\($1)" } + ["SWIFT_BACKTRACE=enable=no"]
  }
}
