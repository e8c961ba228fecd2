internal import CPlatform

/// The memory of a process (`/proc/PID/smaps_rollup`, `proc(5)`).
package struct MemoryUse: Sendable, Hashable {
  /// Resident memory, with shared pages divided by the number of their users.
  package var pssKiB: Int
  /// Resident memory that ending the process would free.
  package var privateDirtyKiB: Int
  /// Resident memory, including shared pages.
  package var rssKiB: Int

  package static func ofThisProcess() throws(SystemError) -> MemoryUse {
    let text = try FileDescriptor.content(of: "/proc/self/smaps_rollup", limit: 65_536)
    var use = MemoryUse(pssKiB: 0, privateDirtyKiB: 0, rssKiB: 0)
    for line in text.split(separator: UInt8(ascii: "\n")) {
      let words = line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
      guard words.count == 3, let value = Int(words[1]) else { continue }
      switch words[0] {
      case "Pss:": use.pssKiB = value
      case "Private_Dirty:": use.privateDirtyKiB = value
      case "Rss:": use.rssKiB = value
      default: break
      }
    }
    return use
  }

  /// Limits the heap to two arenas, instead of one per thread. Call it at program start.
  package static func limitArenas() { agent_limit_arenas(2) }

  /// Returns freed memory to the system.
  package static func trim() { agent_trim_heap() }
}
