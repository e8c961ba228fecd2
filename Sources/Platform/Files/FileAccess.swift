internal import Glibc

/// What this process may do with a file, found out without opening it: for files that are more than data.
package enum FileAccess: Sendable, Hashable {
  /// It can be read and written.
  case usable
  /// It can be read.
  case readable
  /// It is there, but may not be read.
  case forbidden
  /// There is nothing of this name.
  case missing

  /// Looks at a file; links are followed.
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
