import Platform
import TestSupport

/// Commands that wait at a gate and are released together.
enum Crowd {
  struct Answer: Sendable, Hashable {
    var status: ProcessStatus
    var output: [String]
    var error: String
  }

  /// Runs `agent` with the same arguments `count` times and waits for all.
  static func run(_ count: Int, _ tree: AgentTree, _ arguments: String...) throws -> [Answer] {
    let gate = try Pipe()
    var members: [RunningProcess] = []
    for _ in 0..<count {
      // The gate opens when its writing end is closed.
      members.append(
        try RunningProcess(
          executable: "/bin/sh",
          arguments: ["-c", "read -r _ <&9; exec 9<&-; exec \"$0\" \"$@\"", try Programs.path("agent")] + arguments,
          environment: tree.environment(), inherits: [(parent: gate.reading.raw, child: 9)]))
    }
    try gate.writing.close()
    return try members.map { member in
      var output: [String] = []
      do {
        while true { output.append(try member.readLine()) }
      } catch ProcessFailure.ended {}
      return Answer(status: try member.wait(), output: output, error: member.errorText)
    }
  }
}
