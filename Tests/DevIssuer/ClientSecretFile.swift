import Platform

/// Where the confidential client's secret is written for the tests that need it.
enum ClientSecretFile {
  static func exists(_ name: String) -> Bool {
    do throws(SystemError) {
      _ = try FileDescriptor(opening: name, for: .writing)
      return true
    } catch {
      return !error.isNotFound
    }
  }

  /// Makes the file with mode 0600; it holds the secret and nothing else.
  ///
  /// Never call it for a file that is there: that one might be readable for others, or precious.
  static func write(_ secret: String, to name: String) throws(SystemError) {
    let file = try FileDescriptor(opening: name, for: .replacing)
    try file.writeAll(Array(secret.utf8).span)
    try file.close()
  }
}
