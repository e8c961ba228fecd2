internal import Platform

/// The files of this package, located relative to this file.
package enum PackageFiles {
  private static let top = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
    .joined(separator: "/")

  /// An absolute path; by default, of the package's directory.
  package static func path(_ relative: String = "") -> String {
    relative.isEmpty ? top : "\(top)/\(relative)"
  }

  /// A text file of at most 1 MiB.
  package static func text(_ path: String) throws -> String {
    let bytes = try FileDescriptor(opening: self.path(path), for: .reading).readToEnd(limit: 1 << 20)
    return String(decoding: bytes, as: UTF8.self)
  }
}
