internal import Glibc

/// This process's access to a file, without opening it.
package enum FileAccess: Sendable, Hashable {
  /// Readable and writable.
  case usable
  /// Readable but not writable.
  case readable
  /// Exists but is not readable.
  case forbidden
  case missing

  /// Follows links.
  package init(of path: String) {
    self =
      if unsafe access(path, R_OK | W_OK) == 0 {
        .usable
      } else if unsafe access(path, R_OK) == 0 {
        .readable
      } else if unsafe access(path, F_OK) == 0 {
        .forbidden
      } else {
        .missing
      }
  }
}
