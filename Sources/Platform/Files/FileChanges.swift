internal import CPlatform
internal import Glibc

/// Tells, for one system call, that nothing has happened to some files since they were looked at, whoever might
/// have changed them (inotify(7)). The kernel notes a change before the call that makes it returns, so a change
/// that was made before a message was sent is seen by whoever got the message.
///
/// Every directory on the way to a file is watched too, and the table of mounts, since another file may come to
/// the path that way. Where the kernel cannot tell all of this, nothing is promised and the files must be looked
/// at each time: when a file is missing, when a link or a file system that others can write to is on the way
/// (NFS, FUSE), or when there is no room for another watch. What a process writes through a mapping is noticed
/// when it closes the file.
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
    /// Nothing can be told; it is tried again at this time.
    case blind(until: Instant)
  }

  /// A file that was not there may be by now.
  private static let retryTime = Duration.seconds(1)

  /// Nil when this system does not offer it.
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

  /// A number that stays the same only as long as nothing happens to the files. Ask before a file is read,
  /// keep the number, and ask again: the same number means that the file is still what was read.
  ///
  /// - Returns: Nil when this cannot be told now.
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

  /// What happens while this goes on is seen at the next look: the watches on the way to a file are there
  /// before the ones further down.
  private func watchAll() -> Bool {
    _ = agent_changes_seen(descriptor.raw, mounts.raw)
    var wanted: Set<Int32> = []
    let isComplete = paths.allSatisfy { watch($0, &wanted) }
    for stale in watches.subtracting(wanted) { agent_changes_remove(descriptor.raw, stale) }
    watches = wanted
    return isComplete
  }

  private func watch(_ path: String, _ watches: inout Set<Int32>) -> Bool {
    let names = path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
    guard path.utf8.first == UInt8(ascii: "/"), names.count > 1, !path.utf8.contains(0) else { return false }
    var place = ""
    for (depth, name) in names.enumerated() {
      if name == "." || name == ".." { return false }
      place += "/" + name
      let role =
        depth == names.count - 1 ? agent_change_file : depth == names.count - 2 ? agent_change_folder : agent_change_way
      let watch = unsafe agent_changes_add(descriptor.raw, place, role)
      guard watch >= 0 else { return false }
      watches.insert(watch)
    }
    return true
  }
}
