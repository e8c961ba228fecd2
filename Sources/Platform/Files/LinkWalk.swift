internal import CPlatform
internal import Glibc

/// Resolves a symbolic link step by step, so that nothing can be replaced after its check.
///
/// Directories on the way, except the ancestors of the link's directory, must belong to this user or root and not be
/// writable by others. `allowsSticky` accepts a world-writable sticky directory if the next entry belongs to this user
/// or root.
struct LinkWalk: ~Copyable {
  /// The current directory.
  private(set) var directory: FileDescriptor
  /// The ancestors of the link's directory.
  private let above: Set<FileIdentity>
  /// The remaining names, the next one at the end.
  private var names: [String]

  private struct FileIdentity: Hashable {
    let device: UInt64
    let inode: UInt64

    init(_ status: FileStatus) {
      device = status.device
      inode = status.inode
    }
  }

  /// The kernel's limit (path_resolution(7)).
  static let maximumLinks = 40

  /// The link's path, for messages.
  private let link: String
  private let allowsSticky: Bool

  init(at name: String, in start: borrowing FileDescriptor, allowsSticky: Bool = false) throws(SystemError) {
    self.allowsSticky = allowsSticky
    link = "\(Self.target(of: "/proc/self/fd/\(start.raw)", in: start) ?? ".")/\(name)"
    let opened = try Self.open(".", in: start)
    let above = try Self.directories(above: start)
    directory = opened
    self.above = above
    names = [name]
  }

  /// Returns the final target's name in ``directory``. Throws `untrusted` if another user could change a directory on
  /// the way, or the link is dangling.
  mutating func run() throws(DirectoryError) -> String {
    try check()
    var links = 0
    while let name = names.popLast() {
      if let target = Self.target(of: name, in: directory) {
        links += 1
        if links > Self.maximumLinks { throw .system(SystemError(errno: ELOOP, operation: "open"), path: path) }
        if target.hasPrefix("/") { try enter("/") }
        names += target.split(separator: "/").map(String.init).reversed()
      } else if names.isEmpty && name != ".." {
        return name
      } else {
        try enter(name)
      }
    }
    return "."
  }

  /// The path of ``directory``.
  var path: String { Self.target(of: "/proc/self/fd/\(directory.raw)", in: directory) ?? "." }

  private mutating func enter(_ name: String) throws(DirectoryError) {
    do {
      directory = try Self.open(name, in: directory)
    } catch {
      throw error.isNotFound ? .untrusted(.dangling, path: link) : .system(error, path: "\(path)/\(name)")
    }
    try check()
  }

  /// Throws `untrusted` if another user could change ``directory``.
  private func check() throws(DirectoryError) {
    let status: FileStatus
    do { status = try FileStatus(of: directory) } catch { throw .system(error, path: path) }
    if above.contains(FileIdentity(status)) { return }
    guard let problem = status.problem(ofDirectory: true) else { return }
    if case .writable = problem, allowsSticky, status.isSticky, isNextOwned { return }
    throw .untrusted(problem, path: path)
  }

  private var isNextOwned: Bool {
    guard let next = names.last, let status = try? FileStatus(of: next, in: directory) else { return false }
    return status.owner == 0 || status.owner == geteuid()
  }

  private static func directories(above start: borrowing FileDescriptor) throws(SystemError) -> Set<FileIdentity> {
    var found: Set<FileIdentity> = []
    var directory = try open("..", in: start)
    while found.insert(FileIdentity(try FileStatus(of: directory))).inserted {
      directory = try open("..", in: directory)
    }
    return found
  }

  private static func open(_ name: String, in directory: borrowing FileDescriptor) throws(SystemError) -> FileDescriptor
  {
    let number = directory.raw
    return FileDescriptor(owning: try SystemCall.checked(unsafe agent_open_path(number, name), "open"))
  }

  /// Nil if the name is not a link.
  static func target(of name: String, in directory: borrowing FileDescriptor) -> String? {
    target(of: name, from: directory.raw)
  }

  /// Nil if the absolute path is not a link.
  static func target(of path: String) -> String? { target(of: path, from: AT_FDCWD) }

  private static func target(of name: String, from directory: Int32) -> String? {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      let count = unsafe readlinkat(directory, name, buffer.baseAddress!, buffer.count)
      guard count > 0, count < Int(PATH_MAX) else { return nil }
      return unsafe String(decoding: buffer[..<count].lazy.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
  }
}

extension FileStatus {
  fileprivate var isSticky: Bool { permissions & 0o1000 != 0 }

  /// Why users other than `user` could have changed the file, if so. Root may own directories.
  func problem(ofDirectory isDirectory: Bool, owner user: UInt32 = Machine.userID) -> FileProblem? {
    if !isDirectory && !isRegular { return .notRegular }
    if owner != user && !(isDirectory && owner == 0) { return .notOwned }
    return permissions & 0o022 == 0 ? nil : .writable(mode: permissions, isDirectory: isDirectory)
  }
}
