internal import Encoding
internal import Platform
internal import Wire

/// The origin and account to configure a client for.
struct SetupContext: Sendable {
  /// This program's path.
  let program: String
  /// This program's name.
  let name: String
  /// Nil if the client has one setting for all origins.
  let origin: OriginEntry?
  let account: String
  /// The origin's entry in the account's settings, if any.
  let listed: OriginEntry?
  /// Whether the settings must name the account.
  let namesAccount: Bool
  /// `--name`, for the client's entry.
  var entryName: String?
  /// `--user`: the user name for the origin.
  var user: String?
  /// `--role-arn`.
  var role: String?
  /// The URL of an MCP server, as typed.
  var serverURL: String?
  var files = UserFiles()

  /// Origin and path, without a trailing slash; empty if there is no origin.
  var url: String { origin.map { $0.origin + $0.path } ?? "" }

  var host: String {
    let origin = self.origin?.origin.utf8 ?? "".utf8
    return String(decoding: origin.drop { $0 != UInt8(ascii: "/") }.dropFirst(2), as: UTF8.self)
  }

  /// The host, with dashes for other characters than letters and digits.
  var hostWord: String {
    String(decoding: host.utf8.map { $0.isASCIIAlphanumeric ? $0 : UInt8(ascii: "-") }, as: UTF8.self)
  }

  /// Runs this program as a helper. `more` precedes `--account`.
  func helperArguments(_ helper: HelperProtocolName, _ more: [String] = []) -> [String] {
    ["helper", helper.rawValue] + more + (namesAccount ? ["--account", account] : [])
  }

  /// This program with arguments, quoted for a shell.
  func shellCommand(_ words: [String]) -> String { ([program] + words).map(ShellWord.quoted).joined(separator: " ") }

  /// The command line that prints a token. Throws for arguments that clients might split.
  func tokenCommand() throws(Failure) -> String { shellCommand(try tokenArguments()) }

  /// The arguments of ``tokenCommand()``.
  func tokenArguments() throws(Failure) -> [String] {
    var words = ["token", account, "--no-input"]
    if let listed {
      words += listed.scope.flatMap { ["--scope", $0] } + listed.resources.flatMap { ["--resource", $0] }
      if let audience = listed.audience { words += ["--audience", audience] }
    }
    guard words.allSatisfy({ $0.utf8.allSatisfy(ShellWord.isLiteral) }) else {
      throw Failure(
        .invalidConfiguration, "the settings of \(account) for \(url) contain values that this program cannot accept")
    }
    return words
  }

  /// The given entry name, or else `name`. Rejects special characters.
  func entryName(else name: String) throws(Failure) -> String {
    let name = entryName ?? name
    guard Self.isEntryName(name) else {
      throw Failure(
        .invalidRequest, "an entry name consists of letters, digits, \"-\" and \"_\"",
        hint: "choose another one with \("--name")")
    }
    return name
  }

  static func isEntryName(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count)
      && name.utf8.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
  }

  /// From `--user` or the settings.
  func userName() throws(Failure) -> String {
    guard let user = user ?? listed?.user else {
      throw Failure(.invalidRequest, "the user name for \(url) is unknown", hint: "use \("--user")")
    }
    guard user.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
    else {
      throw Failure(.invalidRequest, "the user name contains invalid characters")
    }
    return user
  }

  // MARK: This program

  /// This program's path for settings: `name` on the `PATH`, which survives updates, or else the executable. Throws for
  /// characters that some configuration files cannot contain.
  static func ownPath(_ name: String) throws(Failure) -> String {
    let own = Machine.executablePath()
    let found = Spawn.search(name).flatMap {
      $0.utf8.first == UInt8(ascii: "/") && Spawn.isSame($0, own) ? $0 : nil
    }
    let path = found ?? own
    guard path.utf8.first == UInt8(ascii: "/"),
      path.utf8.allSatisfy({ ($0 < 0x80 && ShellWord.isLiteral($0)) || $0 == UInt8(ascii: " ") })
    else {
      throw Failure(
        .invalidConfiguration, "the path of this program cannot be written to a configuration file: \(path)")
    }
    return path
  }

  /// A link's path on the `PATH`; nil if it leads to another program.
  func path(of link: String) -> String? {
    Spawn.search(link).flatMap { $0.utf8.first == UInt8(ascii: "/") && Spawn.isSame($0, program) ? $0 : nil }
  }
}
