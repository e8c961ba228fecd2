internal import Encoding

/// The names that `--var` may set. Since servers choose the values, rejects names that shells treat specially, or that
/// determine programs, proxies or trusted certificates.
enum VariableName {
  /// Lists of names, prefixes and suffixes, from the file `variables`.
  static let lists = {
    var (lists, name): ([String: [String]], String) = ([:], "")
    for line in String(decoding: PackageResources.variables, as: UTF8.self).split(separator: "\n") {
      if line.first == " " {
        lists[name, default: []] += line.split(separator: " ").map { String($0) }
      } else if line.first != "#" {
        name = String(line)
      }
    }
    return lists
  }()

  /// Whether every shell accepts the name.
  static func isWellFormed(_ name: Substring.UTF8View) -> Bool {
    guard let first = name.first, !first.isASCIIDigit else { return false }
    return name.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "_") }
  }

  /// Whether a list or rule rejects a well-formed name.
  static func isRefused(_ name: String) -> Bool {
    let capital = name.uppercased()
    func isListed(in list: String, where matches: (String) -> Bool) -> Bool {
      guard let words = lists[list] else { preconditionFailure("no list \(list)") }
      return words.contains(where: matches)
    }
    let isName = { (word: String) in word.hasSameBytes(as: capital) }
    if isListed(in: "shell-variables", where: isName) || isListed(in: "refused-variables", where: isName)
      || isListed(in: "firm-prefixes", where: { capital.hasPrefix($0) })
    {
      return true
    }
    if isListed(in: "allowed-suffixes", where: { capital.hasSuffix($0) }) { return false }
    return isListed(in: "refused-prefixes", where: { capital.hasPrefix($0) })
      || isListed(in: "refused-suffixes", where: { capital.hasSuffix($0) })
  }
}
