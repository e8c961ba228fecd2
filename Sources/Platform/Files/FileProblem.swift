internal import Glibc

/// Why a file or directory is refused.
package enum FileProblem: Sendable, Hashable {
  case symbolicLink
  /// Neither a regular file nor a directory.
  case special
  /// Owned by another user.
  case notOwned
  case notRegular
  /// Also for a symbolic link to a directory.
  case notDirectory
  case dangling
  /// On a disk, but must be in memory.
  case onDisk
  /// Writable by the group or other users.
  case writable(mode: UInt32, isDirectory: Bool)
  /// Accessible to the group or other users.
  case tooOpen(mode: UInt32, isDirectory: Bool)

  /// The problem according to `lstat`; nil if the file is private or missing.
  package static func of(_ path: String, mustBeFile isFile: Bool = false) -> FileProblem? {
    var found = stat()
    guard unsafe lstat(path, &found) == 0 else { return nil }
    let kind = found.st_mode & S_IFMT
    let isDirectory = kind == S_IFDIR
    if kind == S_IFLNK { return .symbolicLink }
    if !isDirectory && kind != S_IFREG { return .special }
    if isDirectory && isFile { return .notRegular }
    if found.st_uid != Machine.userID { return .notOwned }
    let mode = found.st_mode & 0o7777
    return mode & 0o077 == 0 ? nil : .tooOpen(mode: mode, isDirectory: isDirectory)
  }

  /// The offending permission bits in octal.
  package var mode: String? {
    switch self {
    case .writable(let mode, _), .tooOpen(let mode, _): String(mode, radix: 8)
    case .symbolicLink, .special, .notOwned, .notRegular, .notDirectory, .dangling, .onDisk: nil
    }
  }

  /// Describes the problem in lowercase, without a full stop. `mode` is ``mode`` or a placeholder.
  package func sentence(about subject: String, mode: String) -> String {
    switch self {
    case .symbolicLink: "\(subject) is a symbolic link, which is not followed"
    case .special: "\(subject) is neither a file nor a directory"
    case .notOwned: "\(subject) belongs to another user"
    case .notRegular: "\(subject) is not a regular file"
    case .notDirectory: "\(subject) is not a directory"
    case .dangling: "\(subject) is a symbolic link to a file that does not exist"
    case .onDisk: "\(subject) is on a disk, where a token must not be written"
    case .writable: "\(subject) may be changed by other users (mode \(mode))"
    case .tooOpen: "\(subject) is open to other users (mode \(mode))"
    }
  }
}
