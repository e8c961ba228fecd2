internal import Encoding
internal import Platform
internal import Wire

/// A program's configuration file. File and directory may be symbolic links, unless others can change the targets.
struct SetupFile: Sendable, Hashable {
  let path: String

  var directory: String { parts.directory }

  private var parts: (directory: String, name: String) {
    let names = path.split(separator: "/", omittingEmptySubsequences: false)
    return (names.dropLast().joined(separator: "/"), String(names[names.count - 1]))
  }

  static let maximumBytes = JSONMembers.maximumBytes

  /// Throws if the path is relative or ends with a slash.
  init(_ path: String) throws(Failure) {
    guard path.utf8.first == UInt8(ascii: "/"), path.utf8.last != UInt8(ascii: "/") else {
      throw Failure(.invalidConfiguration, "\(path) is not the absolute path of a file")
    }
    self.path = path
  }

  /// Nil if the file does not exist. Throws if it is writable by others, too long or unreadable.
  func read() throws(Failure) -> [UInt8]? {
    let (directory, name) = parts
    do throws(DirectoryError) {
      let directory = try PrivateDirectory(changedByUserAlone: directory, create: false)
      return try directory.withTarget(of: name) { (targetDirectory, name) throws(SystemError) in
        try Self.bytes(name, targetDirectory)
      }
    } catch {
      guard case .system(let cause, _) = error else { throw Failure(error) }
      if cause.isNotFound { return nil }
      guard cause.isTooLarge else { throw Failure(error) }
      throw Failure(.storage, "\(path) is longer than \(Self.maximumBytes >> 20) MiB and was not changed")
    }
  }

  /// Replaces the content atomically; nil removes the file. Throws if the content is no longer `old`.
  func replace(_ old: [UInt8]?, by bytes: [UInt8]?) throws(Failure) {
    let (directory, name) = parts
    let isWritten: Bool
    do throws(DirectoryError) {
      let directory = try PrivateDirectory(changedByUserAlone: directory, create: bytes != nil)
      isWritten = try directory.withTarget(of: name) { (targetDirectory, name) throws(SystemError) in
        guard try Self.bytes(name, targetDirectory) == old else { return false }
        if let bytes {
          try targetDirectory.replaceFile(keepingModeOf: name, with: bytes.span)
        } else {
          try targetDirectory.removeFile(name)
        }
        return true
      }
    } catch {
      throw Failure(error)
    }
    guard isWritten else { throw Failure(.storage, "another program changed \(path); try again") }
  }

  private static func bytes(_ name: String, _ targetDirectory: borrowing PrivateDirectory) throws(SystemError)
    -> [UInt8]?
  {
    targetDirectory.exists(name) ? try targetDirectory.readFile(changedByUserAlone: name, limit: maximumBytes) : nil
  }
}

/// Links to this program, for clients. They have their own directory, because the link `keyring` hides Python's
/// program of that name.
enum SetupLinks {
  static func directory() throws(Failure) -> String {
    do {
      return try UserDirectories.dataHome(in: Environment.value) + "/agent/bin"
    } catch {
      throw Failure(error, doing: "no data directory found")
    }
  }

  /// Creates a link to `program` if missing, or replaces a broken one.
  static func make(_ name: String, to program: String) throws(Failure) {
    let path = try directory()
    do throws(DirectoryError) {
      let directory = try PrivateDirectory(opening: path, create: true)
      if directory.link(name).map({ $0.hasSameBytes(as: program) }) ?? false { return }
      do {
        if directory.link(name) != nil, FileAccess(of: "\(path)/\(name)") == .missing { try directory.removeFile(name) }
        try directory.createLink(name, to: program)
      } catch { throw .system(error, path: "\(path)/\(name)") }
    } catch {
      throw Failure(error)
    }
  }

  /// Removes the link if it leads to `program` or to this program.
  static func remove(_ name: String, to program: String) throws(Failure) {
    let path = try directory()
    do throws(DirectoryError) {
      let directory = try PrivateDirectory(opening: path, create: false)
      let isOurs = directory.link(name).map { $0.hasSameBytes(as: program) } ?? false
      guard isOurs || Spawn.isSame("\(path)/\(name)", Machine.executablePath()) else { return }
      do { try directory.removeFile(name) } catch { throw .system(error, path: "\(path)/\(name)") }
    } catch {
      if case .system(let cause, _) = error, cause.isNotFound { return }
      throw Failure(error)
    }
  }
}
