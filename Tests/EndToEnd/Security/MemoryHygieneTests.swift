import Encoding
import Platform
import TestSupport
import Testing

/// The kernel's view of the daemon's memory (`proc(5)`).
@Suite(.needsPrograms) struct `The memory of the daemon` {
  /// The regions of a process with the flags of each, from `/proc/PID/smaps`.
  private struct Region {
    let line: String
    var values: [String: String] = [:]

    var kiB: Int { Int(values["Size"]?.split(separator: " ").first ?? "") ?? 0 }
    var flags: Set<Substring> { Set((values["VmFlags"] ?? "").split(separator: " ")) }

    static func all(of process: Int32) throws -> [Region] {
      var regions: [Region] = []
      for line in try #require(ProcessFiles.text("smaps", of: process)).split(separator: "\n") {
        let parts = line.split(separator: ":", maxSplits: 1)
        if line.first?.isHexDigit == true, line.split(separator: " ").first?.contains("-") == true {
          regions.append(Region(line: String(line)))
        } else if parts.count == 2, !regions.isEmpty {
          regions[regions.count - 1].values[String(parts[0])] = parts[1].drop { $0 == " " }.description
        }
      }
      return regions
    }
  }

  /// The pages of the secure heap: 4 MiB, between two inaccessible ones.
  private static func secureHeap(of process: Int32) throws -> Region {
    let regions = try Region.all(of: process)
    let index = try #require(
      regions.indices.first { index in
        regions[index].kiB == 4096 && regions[index].line.contains(" rw-p ") && index > 0 && index + 1 < regions.count
          && regions[index - 1].line.contains(" ---p ") && regions[index + 1].line.contains(" ---p ")
      }, "there is no region of 4 MiB with a guard on both sides")
    return regions[index]
  }

  @Test(.needsForeignMemory) func `has a secure heap that is kept out of dumps, and out of the swap where it says so`()
    throws
  {
    try AgentTree.with { tree in
      let status = try tree.json("daemon", "start")
      let heap = try Self.secureHeap(of: try tree.daemon())
      // madvise(2), MADV_DONTDUMP.
      #expect(heap.flags.contains("dd"), "\(heap.values)")
      // mlock2(2): pages are locked when first used.
      let isLocked = heap.flags.contains("lo")
      #expect(status["secure_heap"] == (isLocked ? "locked" : "unlocked"))
    }
  }

  @Test(.needsForeignMemory) func `that may not be locked is named in the status, and works all the same`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        // Without the right to ignore limits (capabilities(7)), like an ordinary user who may lock no memory.
        let line = "ulimit -l 0; exec setpriv --bounding-set -ipc_lock --inh-caps -ipc_lock \"$0\" --foreground"
        let daemon = try RunningProcess(
          executable: "/bin/bash", arguments: ["-c", line, try Programs.path("agentd")], environment: tree.environment()
        )
        let deadline = Instant.now.advanced(by: .testLimit)
        while !daemon.errorText.contains("the daemon started") {
          try #require(Instant.now < deadline, "\(daemon.errorText)")
          Threads.sleep(for: .milliseconds(5))
        }
        #expect(try tree.json("daemon", "status")["secure_heap"] == "unlocked")
        #expect(try !Self.secureHeap(of: daemon.processID).flags.contains("lo"))
        try tree.signIn(at: issuer.url)
        #expect(try !tree.token("work", "--force-refresh").isEmpty)
        _ = try daemon.terminate()
      }
    }
  }

  @Test(.needsForeignMemory) func `holds no token in clear outside the secure heap`() throws {
    try Session.with { session in
      let token = try session.tree.token("work", "--force-refresh")
      let process = try session.tree.daemon()
      let memory = ProcessMemory(of: process)
      // The search finds existing secrets.
      #expect(try !memory.places(of: [("issuer", session.issuer.url)]).isEmpty)
      let places = try memory.places(of: [("access token", token)])
      let start = try #require(UInt64(try Self.secureHeap(of: process).line.prefix { $0 != "-" }, radix: 16))
      let range = start..<(start + 4 << 20)
      for place in places { #expect(range.contains(place.address), "\(place)") }
    }
  }

  @Test func `leaves no core file`() throws {
    try AgentTree.with { tree in
      _ = try tree.json("daemon", "start")
      let process = try tree.daemon()
      let limits = try #require(ProcessFiles.text("limits", of: process))
      let core = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
      #expect(core.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"])
    }
  }

  // In proc(5), a process that is not dumpable belongs to root. For root, `another user can neither read its memory
  // nor speak to it` checks another user's daemon.
  @Test(.enabled(if: Machine.userID != 0, "what root runs belongs to root, dumpable or not"))
  func `is not for others`() throws {
    try AgentTree.with { tree in
      _ = try tree.json("daemon", "start")
      let process = try tree.daemon()
      let owners = try ProcessRunner.shell("stat -c %u /proc/\(process)/mem /proc/\(process)/maps")
      #expect(owners.outputText == "0\n0\n", "\(owners.errorText)")
    }
  }
}
