import Platform

/// The files of this package, located relative to this file.
enum PackageFiles {
  static let top = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")

  static func text(_ path: String) throws -> String {
    let bytes = try FileDescriptor(opening: "\(top)/\(path)", for: .reading).readToEnd(limit: 1 << 20)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The quoted texts after each `prefix` in a source file.
  static func names(after prefix: String, in path: String) throws -> [String] {
    let text = Array(try text(path).utf8)
    let prefix = Array(prefix.utf8)
    return text.indices.filter { text[$0...].starts(with: prefix) }.map { start in
      String(decoding: text[(start + prefix.count)...].prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
    }
  }
}
