enum HelperProtocolName: String, CaseIterable, Sendable {
  case git, docker, kubectl, aws, keyring, cargo, go, curl, header, xoauth2, oauthbearer, mcp, gcp, netrc

  private static let command = "helper"

  static let keyringProgram = "keyring"

  /// cargo's argument for a JSON provider.
  static let cargoPlugin = "--cargo-plugin"

  /// Prefixes of helpers' names, followed by the program's name.
  private static let prefixes: [(String, HelperProtocolName)] = [
    ("git-credential-", .git), ("docker-credential-", .docker), ("cargo-credential-", .cargo),
  ]

  /// Splits a program name such as `git-credential-agent`.
  static func parse(_ path: String) -> (helper: HelperProtocolName, rest: String)? {
    let bytes = path.utf8
    let name = bytes[(bytes.lastIndex(of: UInt8(ascii: "/")).map(bytes.index(after:)) ?? bytes.startIndex)...]
    if name.elementsEqual(keyringProgram.utf8) { return (.keyring, "") }
    for (prefix, helper) in prefixes where name.starts(with: prefix.utf8) {
      return (helper, String(decoding: name.dropFirst(prefix.utf8.count), as: UTF8.self))
    }
    return nil
  }

  /// Converts a helper's call to a command line of `agent helper`, without the program's name.
  static func commandLine(_ arguments: [String]) -> [String] {
    var words = Array(arguments.dropFirst())
    if words.first == command, words.count > 1, words[1] == cargo.rawValue, !words.contains("--"),
      let index = words.firstIndex(of: cargoPlugin)
    {
      words.remove(at: index)
      return words + ["--", cargoPlugin]
    }
    let isCargo = words.first == cargoPlugin
    guard let called = arguments.first.flatMap({ parse($0)?.helper }) ?? (isCargo ? .cargo : nil) else { return words }
    // Options of keyring and cargo are not options of `agent`.
    let mark = called == .keyring || isCargo ? ["--"] : []
    return [command, called.rawValue] + mark + words
  }
}
