internal import CPlatform
internal import Glibc

/// Detects with one system call whether files may have changed (inotify(7)), also through a mount, directory or link of
/// their paths. Not thread-safe.
///
/// ``poll()`` returns nil if the kernel may miss a change: if a file is missing or on a shared file system, or there
/// are too many watches. Detects a write through a mapping when the file is closed.
package final class FileChanges {
  private let paths: [String]
  private let descriptor: FileDescriptor
  /// Readable when a mount changed.
  private let mounts: FileDescriptor
  private var watches: [Int32: Watch] = [:]
  private var stage = Stage.unknown
  /// The number of changes so far.
  private var count: UInt64 = 0
  /// Each file's latest change number.
  private var counts: [UInt64]
  /// Each file's directory and name, with all links resolved.
  private var locations: [(directory: String, name: String)]

  private struct Watch {
    /// Names in this directory that lead to files.
    var entries: [Entry] = []
    /// Indices of the paths that lead to this file.
    var files: Set<Int> = []
    /// Whether moving or removing this may replace any file.
    var isOnPath = false
  }

  /// A directory entry that leads to file number `file`.
  private struct Entry {
    let name: String
    let file: Int
  }

  private enum Stage {
    /// No watches are set up.
    case unknown
    case watching
    /// Changes are undetectable before this time.
    case unavailable(until: Instant)
  }

  private struct Changes {
    /// Indices of files whose content may have changed.
    var changed: Set<Int> = []
    /// Indices of files that may have been replaced.
    var moved: Set<Int> = []
    /// Whether any file may have been replaced.
    var affectsAll = false
  }

  private static let retryTime = Duration.seconds(1)

  /// Watches absolute paths. Nil if unsupported.
  package init?(of paths: [String]) {
    let raw = agent_changes_create()
    guard raw >= 0 else { return nil }
    descriptor = FileDescriptor(owning: raw)
    guard let mounts = try? FileDescriptor(opening: "/proc/self/mountinfo", for: .reading) else { return nil }
    self.mounts = mounts
    self.paths = paths
    counts = Array(repeating: 0, count: paths.count)
    locations = Array(repeating: ("", ""), count: paths.count)
  }

  /// Returns a number that increases with each change of a file; nil if unknown. Call it before reading a file.
  package func poll() -> UInt64? {
    switch stage {
    case .watching:
      let seen = agent_changes_seen(descriptor.raw, mounts.raw)
      if seen == 0 { return count }
      var result = Changes()
      takeEvents(&result)
      if seen & 2 == 0, !result.affectsAll, watchReplaced(result.moved) {
        note(result.changed)
        return count
      }
    case .unavailable(until: let time):
      if Instant.now < time { return nil }
    case .unknown: break
    }
    note(Set(paths.indices))
    guard watchAll() else {
      stage = .unavailable(until: Instant.now.advanced(by: Self.retryTime))
      return nil
    }
    stage = .watching
    return count
  }

  /// Makes the next ``poll()`` report all files as changed.
  package func invalidate() { stage = .unknown }

  /// The number of a file's latest change, as of the latest ``poll()``; nil if unknown.
  package func number(ofFile index: Int) -> UInt64? {
    if case .watching = stage { counts[index] } else { nil }
  }

  /// Assigns these files the next change number.
  private func note(_ changed: Set<Int>) {
    guard !changed.isEmpty else { return }
    count += 1
    for file in changed { counts[file] = count }
  }

  // MARK: Events

  private func takeEvents(_ result: inout Changes) {
    unsafe withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
      while true {
        let end = unsafe agent_changes_take(descriptor.raw, buffer.baseAddress!)
        var place = 0
        while place < end {
          var change = unsafe agent_change(
            watch: -1, what: 0, name: UnsafePointer(buffer.baseAddress!.assumingMemoryBound(to: CChar.self)))
          place = unsafe agent_changes_read(buffer.baseAddress!, place, &change)
          unsafe take(change.watch, change.what, String(cString: change.name), &result)
        }
        if end < 2048 { return }
      }
    }
  }

  /// Adds an event. With a negative watch number, any file may have changed.
  private func take(_ number: Int32, _ kind: Int32, _ name: String, _ result: inout Changes) {
    if number < 0 {
      result.affectsAll = true
      return
    }
    guard let watch = watches[number] else { return }
    if kind == agent_change_of_watch {
      watches[number] = nil
      return
    }
    let isPlace = kind == agent_change_of_place
    guard name.isEmpty else {
      // Ignore lock files and temporary files.
      for entry in watch.entries where entry.name.utf8.elementsEqual(name.utf8) {
        result.changed.insert(entry.file)
        if isPlace { result.moved.insert(entry.file) }
      }
      return
    }
    if isPlace, watch.isOnPath || !watch.entries.isEmpty { result.affectsAll = true }
    result.changed.formUnion(watch.files)
    if isPlace { result.moved.formUnion(watch.files) }
  }

  // MARK: Watches

  /// Watches replaced files again. Returns false if more than a path's last component changed.
  private func watchReplaced(_ moved: Set<Int>) -> Bool {
    for file in moved {
      let (place, name) = locations[file]
      let path = "\(place)/\(name)"
      guard LinkWalk.target(of: path) == nil else { return false }
      var new: [Int32: Watch] = [:]
      guard let number = add(path, agent_change_replaced, &new, { $0.files.insert(file) }) else { return false }
      for (old, watch) in watches where old != number && watch.files.contains(file) {
        watches[old]?.files.remove(file)
        if watch.files.count == 1, watch.entries.isEmpty, !watch.isOnPath { remove(old) }
      }
      watches[number, default: Watch()].files.insert(file)
    }
    return true
  }

  /// Watches each directory before its content, to miss no change. Returns false on failure.
  private func watchAll() -> Bool {
    var ignored = Changes()
    takeEvents(&ignored)
    var wanted: [Int32: Watch] = [:]
    let isComplete = paths.indices.allSatisfy { watch($0, &wanted) }
    for stale in Set(watches.keys).subtracting(wanted.keys) { remove(stale) }
    watches = wanted
    return isComplete
  }

  private func remove(_ watch: Int32) {
    agent_changes_remove(descriptor.raw, watch)
    watches[watch] = nil
  }

  /// Returns false on failure.
  private func watch(_ file: Int, _ watches: inout [Int32: Watch]) -> Bool {
    let path = paths[file]
    guard path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(0) else { return false }
    var (place, rest, links) = ("", Self.names(path), 0)
    while let name = rest.popLast() {
      if name == "." { continue }
      if name == ".." {
        place = String(place[..<(place.lastIndex(of: "/") ?? place.startIndex)])
        continue
      }
      let found = "\(place)/\(name)"
      if rest.isEmpty {
        let entry = Entry(name: name, file: file)
        guard add(place, agent_change_folder, &watches, { $0.entries.append(entry) }) != nil else { return false }
        locations[file] = (place, name)
      }
      if let target = LinkWalk.target(of: found) {
        links += 1
        guard links <= LinkWalk.maximumLinks, add(found, agent_change_link, &watches, { $0.isOnPath = true }) != nil
        else { return false }
        if target.hasPrefix("/") { place = "" }
        rest += Self.names(target)
      } else if rest.isEmpty {
        guard add(found, agent_change_file, &watches, { $0.files.insert(file) }) != nil else { return false }
      } else {
        guard add(found, agent_change_way, &watches, { $0.isOnPath = true }) != nil else { return false }
        place = found
      }
    }
    return true
  }

  /// A path's components, last first.
  private static func names(_ path: String) -> [String] { path.split(separator: "/").reversed().map(String.init) }

  /// Watches a path for the events of `role` (`agent_change_…`), and passes the watch to `use`. Returns its number, if
  /// any.
  private func add(
    _ path: String, _ role: Int32, _ watches: inout [Int32: Watch], _ use: (inout Watch) -> Void
  ) -> Int32? {
    let number = unsafe agent_changes_add(descriptor.raw, path, role)
    guard number >= 0 else { return nil }
    use(&watches[number, default: Watch()])
    return number
  }
}
