internal import Platform

/// The working directory of this process in requests.
enum CallerDirectory {
  /// The path up to the first component that is not UTF-8, because settings cannot name it; nil if the directory was
  /// removed.
  static var path: String? {
    Machine.withCurrentDirectory { path in
      var bytes: [UInt8] = []
      for index in path.indices { bytes.append(path[index]) }
      return String(decoding: bytes, as: UTF8.self)
    }
  }
}
