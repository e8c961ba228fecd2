internal import Encoding

struct CargoFile {
  let path: String
  let text: ConfigurationText

  /// The files of a working directory and the directories above it, nearest first, and the user's own last. Skips files
  /// that cannot be read or that other users can change.
  ///
  /// - Parameter own: The user's own directory for them.
  static func all(from directory: String, own: String) -> [CargoFile] {
    var directories: [String] = []
    var names = directory.split(separator: "/")
    while !names.isEmpty {
      directories.append("/\(names.joined(separator: "/"))/.cargo")
      names.removeLast()
    }
    if !directories.contains(where: { $0.utf8.elementsEqual(own.utf8) }) { directories.append(own) }
    return directories.compactMap { directory in
      // cargo prefers the older name.
      ["config", "config.toml"].lazy.compactMap { name in
        let path = "\(directory)/\(name)"
        let bytes = (try? SetupFile(path).read()).flatMap { $0 }
        return bytes.map { CargoFile(path: path, text: ConfigurationText($0, isTOML: true)) }
      }.first
    }
  }

  /// Whether two index URLs are equal, ignoring the case of their hosts.
  static func isSame(_ one: String, _ other: String) -> Bool {
    guard one.hasPrefix(sparse), other.hasPrefix(sparse), let one = try? URI(place(of: one)),
      let other = try? URI(place(of: other))
    else { return one.utf8.elementsEqual(other.utf8) }
    return one.origin.utf8.elementsEqual(other.origin.utf8) && one.path.utf8.elementsEqual(other.path.utf8)
      && one.query == other.query
  }

  /// The URL of an index without the prefix that names its protocol.
  static func place(of index: String) -> String {
    index.hasPrefix(sparse) ? String(index.dropFirst(sparse.count)) : index
  }

  private static let sparse = "sparse+"
}

extension ConfigurationText {
  /// cargo's registries with a table of their own, and its first line.
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
