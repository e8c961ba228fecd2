/// This process's control group (`cgroups(7)`).
package struct ControlGroup: Sendable, Equatable {
  /// The systemd service whose stop ends this process; nil in a login session, a terminal, or the daemon's own service.
  package private(set) var service: String?
  /// The lowest memory limit of the group and its parents.
  package private(set) var memoryBytes: Int?

  private static let ownService = "agent.service"

  /// Empty without /proc and /sys.
  package static var current: ControlGroup {
    ControlGroup(String(decoding: bytes("/proc/self/cgroup") ?? [], as: UTF8.self), mountedAt: "/sys/fs/cgroup")
  }

  /// Parses `/proc/PID/cgroup`, ignoring version 1. `root` is the mount point of version 2.
  package init(_ text: String, mountedAt root: String) {
    guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("0::/") }) else { return }
    var names = line.dropFirst(4).split(separator: "/").map(String.init)
    let unit = names.last { $0.hasSuffix(".service") || $0.hasSuffix(".scope") }
    if let unit, unit.hasSuffix(".service"), !unit.utf8.elementsEqual(Self.ownService.utf8) { service = unit }
    while !names.isEmpty {
      let limit = Self.bytes("\(root)/\(names.joined(separator: "/"))/memory.max")
      if let limit, let bytes = Int(String(decoding: limit.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)) {
        memoryBytes = min(bytes, memoryBytes ?? bytes)
      }
      names.removeLast()
    }
  }

  private static func bytes(_ path: String) -> [UInt8]? {
    try? FileDescriptor(opening: path, for: .reading).readToEnd(limit: 1 << 16)
  }
}
