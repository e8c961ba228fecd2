internal import Encoding
internal import Wire

enum DaemonText {
  /// The daemon's version, process ID, uptime, memory and problems.
  static func line(_ daemon: JSON?) -> Phrase {
    var parts: [Phrase] = []
    if let version = daemon?["version"]?.string { parts.append(Phrase("version \(version)")) }
    if let pid = daemon?["pid"]?.int { parts.append(Phrase("pid \(pid)")) }
    if let uptime = daemon?["uptime"]?.int { parts.append(Phrase("up \(RelativeTime.phrase(seconds: uptime))")) }
    if let memory = daemon?["memory_pss_kib"]?.int {
      parts.append(Phrase(verbatim: "\(memory / 1024).\(memory % 1024 * 10 / 1024) MiB"))
    }
    if daemon?["own_namespaces"]?.bool == true {
      parts.append(Phrase("in its own network or mount namespace, so programs outside do not use it"))
    }
    parts += problems(daemon)
    return parts.dropFirst().reduce(parts.first ?? Phrase(verbatim: "")) { Phrase("\($0), \($1)") }
  }

  static func problems(_ daemon: JSON?) -> [Phrase] {
    var problems: [Phrase] = []
    if let heap = daemon?["secure_heap"]?.string, heap != "locked" {
      problems.append(Phrase("memory for secrets is \(heap), so it may be swapped out"))
    }
    if let service = daemon?["service"]?.string {
      problems.append(Phrase("started by \(service), so it ends with that service"))
    }
    let limits = limits(daemon?["limits"])
    if !limits.isEmpty { problems.append(Phrase("limited by the program that started it: \(limits)")) }
    return problems
  }

  /// Resource limits lower than usual.
  private static func limits(_ limits: JSON?) -> String {
    let usual = [
      ("processor_seconds", Int.max), ("file_bytes", .max), ("data_bytes", .max),
      ("address_space_bytes", .max), ("stack_bytes", (8 << 20) - 1), ("descriptors", 1023), ("processes", 255),
      ("group_memory_bytes", (64 << 20) - 1),
    ]
    return usual.compactMap { name, most in
      limits?[name]?.int.flatMap { $0 <= most ? "\(name) \($0)" : nil }
    }.joined(separator: ", ")
  }
}
