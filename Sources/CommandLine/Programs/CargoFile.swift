internal import Encoding

struct CargoFile {
  let path: String
  let text: ConfigurationText

  /// The settings files in `directory` and its parents, nearest first, then in `own`, the user's cargo directory. Skips
  /// files that are unreadable, or writable by others.
  static func all(from directory: String, own: String) -> [CargoFile] {
    var directories: [String] = []
    var names = directory.split(separator: "/")
    while !names.isEmpty {
      directories.append("/\(names.joined(separator: "/"))/.cargo")
      names.removeLast()
    }
    if !directories.contains(where: { $0.hasSameBytes(as: own) }) { directories.append(own) }
    return directories.compactMap { directory in
      ["config", "config.toml"].lazy.compactMap { name in
        let path = "\(directory)/\(name)"
        let bytes = (try? SetupFile(path).read()).flatMap { $0 }
        return bytes.map { CargoFile(path: path, text: ConfigurationText($0, isTOML: true)) }
      }.first
    }
  }

  /// Whether two index URLs are equal, ignoring the host's case.
  static func isSame(_ one: String, _ other: String) -> Bool {
    guard one.hasPrefix(sparse), other.hasPrefix(sparse), let one = try? URI(urlWithoutProtocol(of: one)),
      let other = try? URI(urlWithoutProtocol(of: other))
    else { return one.hasSameBytes(as: other) }
    return one.origin.hasSameBytes(as: other.origin) && one.path.hasSameBytes(as: other.path)
      && one.query == other.query
  }

  static func urlWithoutProtocol(of index: String) -> String {
    index.hasPrefix(sparse) ? String(index.dropFirst(sparse.count)) : index
  }

  private static let sparse = "sparse+"
}

extension ConfigurationText {
  /// The tables `[registries.NAME]`, and their header lines' indexes.
  var registries: [(name: String, header: Int)] {
    let start = "registries."
    return lines.indices.compactMap { line in
      sectionName(line).flatMap { $0.hasPrefix(start) ? (String($0.dropFirst(start.count)), line) : nil }
    }
  }

  func registry(index: String) -> (name: String, header: Int)? {
    registries.first { registry in
      value("index", in: section(registry.header)).map { CargoFile.isSame($0, index) } ?? false
    }
  }
}
