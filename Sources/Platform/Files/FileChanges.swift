internal import CPlatform
internal import Glibc

/// Detects with one system call whether files have changed since they were read (inotify(7)). The kernel records a
/// change before the system call that makes it returns, so a change made before a message was sent is visible to the
/// receiver of the message.
///
/// Every directory of the path and the table of mounts are watched too, because a change there may put another file at
/// the path. Symbolic links are followed, and each is watched as well. No result is given where the kernel cannot detect
/// every change: if a file is missing, if it is on a file system that other machines write to (NFS, FUSE), or if there
/// is no room for another watch. A write through a mapping is detected when the process closes the file.
///
/// Not thread-safe.
package final class FileChanges {
  private let paths: [String]
  private let descriptor: FileDescriptor
  private let mounts: FileDescriptor
  private var watches: Set<Int32> = []
  private var stage = Stage.unknown
  private var count: UInt64 = 0

  private enum Stage {
    case unknown
    case watching
    /// No result is possible; the next attempt is at this time.
    case blind(until: Instant)
  }

  /// The time between two attempts: a missing file may appear.
  private static let retryTime = Duration.seconds(1)

  /// Nil if this system does not support it.
  ///
  /// - Parameter paths: Absolute ones.
  package init?(of paths: [String]) {
    let raw = agent_changes_create()
    guard raw >= 0 else { return nil }
    descriptor = FileDescriptor(owning: raw)
    guard let mounts = try? FileDescriptor(opening: "/proc/self/mountinfo", for: .reading) else { return nil }
    self.mounts = mounts
    self.paths = paths
  }

  /// A number that stays the same only while the files do not change. Get it before reading a file; if a later call
  /// returns the same number, the file has not changed since.
  ///
  /// - Returns: Nil if no result is possible now.
  package func look() -> UInt64? {
    switch stage {
    case .watching:
      if agent_changes_seen(descriptor.raw, mounts.raw) == 0 { return count }
    case .blind(until: let time):
      if Instant.now < time { return nil }
    case .unknown: break
    }
    count += 1
    guard watchAll() else {
      stage = .blind(until: Instant.now.advanced(by: Self.retryTime))
      return nil
    }
    stage = .watching
    return count
  }

  /// A change during this call is detected by the next one, because a directory is watched before what it contains.
  private func watchAll() -> Bool {
    _ = agent_changes_seen(descriptor.raw, mounts.raw)
    var wanted: Set<Int32> = []
    let isComplete = paths.allSatisfy { watch($0, &wanted) }
    for stale in watches.subtracting(wanted) { agent_changes_remove(descriptor.raw, stale) }
    watches = wanted
    return isComplete
  }

  private func watch(_ path: String, _ watches: inout Set<Int32>) -> Bool {
    guard path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(0) else { return false }
    var (place, rest, links) = ("", Self.names(path), 0)
    while let name = rest.popLast() {
      if name == "." { continue }
      if name == ".." {
        place = String(place[..<(place.lastIndex(of: "/") ?? place.startIndex)])
        continue
      }
      let found = "\(place)/\(name)"
      if rest.isEmpty, !add(place, agent_change_folder, &watches) { return false }
      if let target = LinkWalk.target(of: found) {
        links += 1
        guard links <= LinkWalk.maximumLinks, add(found, agent_change_link, &watches) else { return false }
        if target.hasPrefix("/") { place = "" }
        rest += Self.names(target)
      } else {
        guard add(found, rest.isEmpty ? agent_change_file : agent_change_way, &watches) else { return false }
        place = found
      }
    }
    return true
  }

  /// The names in a path, the first one last.
  private static func names(_ path: String) -> [String] { path.split(separator: "/").reversed().map(String.init) }

  private func add(_ path: String, _ role: Int32, _ watches: inout Set<Int32>) -> Bool {
    let watch = unsafe agent_changes_add(descriptor.raw, path, role)
    guard watch >= 0 else { return false }
    watches.insert(watch)
    return true
  }
}
