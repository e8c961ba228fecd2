internal import Glibc

/// Whether this process may access a file, without opening it. For files such as devices and libraries.
package enum FileAccess: Sendable, Hashable {
  /// It can be read and written.
  case usable
  case readable
  /// It exists but cannot be read.
  case forbidden
  /// It does not exist.
  case missing

  /// Tests a file, following links.
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
