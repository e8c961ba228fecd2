/// Why a directory cannot hold private files. Each case names the path, which is the user's own.
package enum DirectoryError: Error, Hashable, Sendable {
  /// It could not be created or opened.
  case system(SystemError, path: String)
  /// It belongs to another user.
  case notOwned(path: String)
  /// Its group or others may use it; `mode` is its permission bits. `chmod 700` helps.
  case tooOpen(path: String, mode: UInt32)
  /// It is a file, or a symbolic link.
  case notADirectory(path: String)
}

extension DirectoryError {
  /// One sentence, lower case, without a full stop, that says what to do.
  package var message: String {
    switch self {
    case .system(let error, let path): "\(path): \(error.message)"
    case .notOwned(let path): "\(path) belongs to another user"
    case .tooOpen(let path, let mode):
      "\(path) is open to other users (mode \(String(mode, radix: 8))): chmod 700 it"
    case .notADirectory(let path): "\(path) is not a directory"
    }
  }
}
