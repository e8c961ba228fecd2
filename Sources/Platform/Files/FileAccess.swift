internal import Glibc

/// This process's access to a file, such as a device, tested without opening it.
package enum FileAccess: Sendable, Hashable {
  /// The file can be read and written.
  case usable
  /// The file can be read but not written.
  case readable
  /// The file exists but cannot be read.
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
