internal import Platform

enum CallerDirectory {
  /// The working directory, up to the first component that is not UTF-8, which settings cannot contain; nil if removed.
  static var path: String? {
    Machine.withCurrentDirectory { path in
      var bytes: [UInt8] = []
      for index in path.indices { bytes.append(path[index]) }
      return String(decoding: bytes, as: UTF8.self)
    }
  }
}
