import Platform
import TestSupport
import Testing

/// This machine with another machine ID (`machine-id(5)`), in the mount namespace of one command.
struct OtherMachine {
  private let file: String

  /// - Parameter digit: The hexadecimal digit of which the machine ID consists.
  init(_ digit: Character, in tree: AgentTree) throws {
    let name = "machine-id.\(digit)"
    try tree.directory.write(name, String(repeating: digit, count: 32) + "\n")
    file = tree.path(name)
  }

  /// Runs `agent` on that machine, with a private daemon in the same namespace.
  func agent(_ tree: AgentTree, _ arguments: String...) throws -> ProcessResult {
    let program = [try Programs.path("agent")] + arguments + ["--no-daemon"]
    return try ProcessRunner.run(
      executable: "/usr/bin/unshare", arguments: Self.namespace + ["/bin/sh", "-c", Self.script, file] + program,
      environment: tree.environment())
  }

  private static let script = "mount --bind \"$0\" /etc/machine-id && exec \"$@\""

  /// Options of `unshare`. Users other than root keep their ID in a user namespace.
  static let namespace =
    Machine.userID == 0 ? ["--mount"] : ["--user", "--map-current-user", "--keep-caps", "--mount"]

  static let isPossible: Bool = {
    let arguments = namespace + ["/bin/sh", "-c", script, "/etc/hostname", "/bin/true"]
    return (try? ProcessRunner.run(executable: "/usr/bin/unshare", arguments: arguments))?.succeeded ?? false
  }()
}

extension Trait where Self == ConditionTrait {
  static var needsMountNamespace: Self {
    .enabled(
      if: OtherMachine.isPossible,
      "neither root nor user namespaces are at hand (or there is no /etc/machine-id), so no other machine can be played"
    )
  }
}
