internal import Encoding
internal import Platform
internal import Wire

extension SetupClient {
  static let git = SetupClient(
    name: "git",
    minimumVersion: ClientVersion(
      arguments: ["--version"], outputPrefix: "version ", major: 2, minor: 46,
      consequence: { Phrase("it accepts tokens only as passwords") }),
    overridingVariables: [
      "GIT_ASKPASS", "GIT_CONFIG_COUNT", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_PARAMETERS",
    ], plan: gitPlan,
    trial: { (context) throws(Failure) in
      try SetupTrial(
        "git", ["credential", "fill"], input: "url=\(context.url)\n\n",
        changes: ["GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": ""], expected: "password=")
    })

  /// Makes this program git's only helper for the URL. An empty helper first resets git's list, since other helpers
  /// would keep expired tokens.
  private static func gitPlan(_ context: SetupContext) throws(Failure) -> SetupPlan {
    guard let git = InstalledProgram("git") else { throw notFound("git") }
    let command: String
    let account = context.namesAccount ? " --account \(context.account)" : ""
    if let link = context.path(of: "git-credential-\(context.name)"), link.utf8.allSatisfy(ShellWord.isPlain) {
      command = link + account
    } else {
      command = "!" + context.shellCommand(context.helperArguments(.git))
    }
    var keys = [("helper", ""), ("helper", command)]
    if let path = context.origin?.path, !path.isEmpty { keys.append(("useHttpPath", "true")) }
    // Editors remove trailing blanks.
    let text = ["[credential \"\(context.url)\"]"] + keys.map { "\t\($0) =\($1.isEmpty ? "" : " " + $1)" }
    let file = try gitFile(context.files)
    let mark = "git \(context.url)"
    let expected = keys.flatMap { Array("credential.\(context.url).\($0.lowercased())\n\($1)\0".utf8) }
    return SetupPlan(
      file: file, text: text,
      change: .lines { (old) throws(Failure) in
        if try hasHelper(context, git) { return .exists("credential.\(context.url).helper") }
        let insertion = old.adding(text, named: mark, at: .end)
        // A line may continue on the next one, so check with git.
        guard case .inserted(let bytes, _) = insertion,
          try settings(in: bytes, git) == (try settings(in: old.bytes, git)) + expected
        else { return .refused }
        return insertion
      }, keys: ["helper = \(command)"],
      isAsked: {
        GitHelperEntry.asked(for: context.origin, of: GitHelperEntry.all()).first?.isOurs(context.name) ?? false
      }
    )
  }

  /// The file that `git config --global` changes.
  private static func gitFile(_ files: UserFiles) throws(Failure) -> SetupFile {
    if let path = files.nonEmptyValue("GIT_CONFIG_GLOBAL") { return try SetupFile(path) }
    let file = try SetupFile("\(try files.home())/.gitconfig")
    let other = try files.configuration("git/config")
    if try file.read() != nil { return file }
    return try other.read() == nil ? file : other
  }

  private static func hasHelper(_ context: SetupContext, _ git: InstalledProgram) throws(Failure) -> Bool {
    let names = try git.settings(
      ["config", "-z", "--name-only", "--includes", "--list"], changes: ["GIT_DIR": nil])
    return names.split(separator: 0).contains { name in
      let (start, end) = ("credential.".utf8, ".helper".utf8)
      guard name.count > start.count + end.count, name.starts(with: start), name.suffix(end.count).elementsEqual(end)
      else { return false }
      let url = String(decoding: name.dropFirst(start.count).dropLast(end.count), as: UTF8.self)
      guard let origin = context.origin, let other = OriginEntry(url, allowHTTPLoopback: true) else { return false }
      return origin.hasSameLocation(as: other)
    }
  }

  /// git's settings in `bytes`, separated by NUL.
  private static func settings(in bytes: [UInt8], _ git: InstalledProgram) throws(Failure) -> [UInt8] {
    try git.settings(["config", "-z", "--file", "-", "--list"], input: bytes)
  }
}

struct GitHelperEntry: Sendable {
  /// Nil for a helper for all URLs.
  let url: String?
  /// An empty command discards the helpers before it.
  let helper: String

  /// All helpers in git's order; empty if git fails.
  static func all(timeout: Duration = .seconds(5)) -> [GitHelperEntry] {
    guard let git = InstalledProgram("git"),
      let result = try? git.run(
        ["config", "-z", "--includes", "--get-regexp", "^credential\\.(.*\\.)?helper$"],
        changes: ["GIT_DIR": nil], timeout: timeout),
      result.succeeded
    else { return [] }
    return result.output.split(separator: 0).map { entry in
      let parts = entry.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
      let name = parts[0]
      let hasURL = name.count > "credential.helper".utf8.count
      let url = name.dropFirst("credential.".utf8.count).dropLast(".helper".utf8.count)
      return GitHelperEntry(
        url: hasURL ? String(decoding: url, as: UTF8.self) : nil,
        helper: parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : "")
    }
  }

  /// The helpers that git asks for an origin's credentials, in order.
  static func asked(for origin: OriginEntry?, of all: [GitHelperEntry]) -> ArraySlice<GitHelperEntry> {
    let entries = all.filter { $0.isFor(origin) }
    return entries.lastIndex { $0.helper.isEmpty }.map { entries[($0 + 1)...] } ?? entries[...]
  }

  /// Whether the helper runs the program `name`.
  func isOurs(_ name: String) -> Bool {
    let text = ConfigurationText(Array(helper.utf8))
    return ["git-credential-\(name)", "\(name)' helper git", "\(name) helper git"].contains { text.contains($0) }
      || helper.hasSameBytes(as: name)
  }

  var origin: OriginEntry? { url.flatMap { OriginEntry($0, allowHTTPLoopback: true) } }

  private func isFor(_ origin: OriginEntry?) -> Bool {
    guard url != nil else { return true }
    guard let origin, let own = self.origin else { return false }
    return own.origin.hasSameBytes(as: origin.origin) && own.covers(origin.path)
  }
}
