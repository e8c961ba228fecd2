/// The protocols of `agent helper`, by their names.
enum HelperName: String, CaseIterable, Sendable {
  case git, docker, kubectl, aws, keyring, cargo, go, curl, header, xoauth2, oauthbearer, mcp, gcp, netrc

  /// The command that implements them.
  private static let command = "helper"

  /// The program of Python's keyring.
  static let keyringProgram = "keyring"

  /// The argument with which cargo calls a provider; its requests are JSON.
  static let cargoPlugin = "--cargo-plugin"

  /// The text before the program's own name in the names of helpers.
  private static let prefixes: [(String, HelperName)] = [
    ("git-credential-", .git), ("docker-credential-", .docker), ("cargo-credential-", .cargo),
  ]

  /// The helper named by the program's name, and the rest of that name.
  ///
  /// - Parameter path: The name that the program was called by.
  static func called(_ path: String) -> (helper: HelperName, rest: String)? {
    let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.utf8.index(after: $0)...]) } ?? path
    if name == keyringProgram { return (.keyring, "") }
    for (prefix, helper) in prefixes where name.hasPrefix(prefix) {
      return (helper, String(decoding: name.utf8.dropFirst(prefix.utf8.count), as: UTF8.self))
    }
    return nil
  }

  /// Converts a call by the name of a helper to the equivalent command line; returns others unchanged. cargo always
  /// calls a provider with a single argument.
  ///
  /// - Parameter arguments: The arguments, starting with the program's own name.
  static func commandLine(_ arguments: [String]) -> [String] {
    var words = Array(arguments.dropFirst())
    if words.prefix(2).elementsEqual([command, cargo.rawValue]), !words.contains("--"),
      let index = words.firstIndex(of: cargoPlugin)
    {
      words.remove(at: index)
      return words + ["--", cargoPlugin]
    }
    let isCargo = words.first?.utf8.elementsEqual(cargoPlugin.utf8) ?? false
    guard let called = arguments.first.flatMap({ called($0)?.helper }) ?? (isCargo ? .cargo : nil) else { return words }
    // The options of these two are not ours.
    let mark = called == .keyring || isCargo ? ["--"] : []
    return [command, called.rawValue] + mark + words
  }
}
