internal import AgentSocket
internal import Encoding
internal import Platform
internal import Vocabulary
internal import Wire

/// The change of one file, for one client and origin.
struct SetupPlan: Sendable {
  enum Change: Sendable {
    /// The text is only printed.
    case none
    case member([String], JSON)
    case lines(@Sendable (ConfigurationText) throws(Failure) -> Insertion)
  }

  /// Nil if the text is only printed.
  var file: SetupFile?
  /// The lines to paste.
  var text: [String]
  var change = Change.none
  /// Lines without leading blanks that identify a piece of this plan; a member is compared as a unit.
  var keys: [String] = []
  /// The name of the entry, if the client can have several for an origin.
  var entry: String?
  var notes: [Phrase] = []

  /// Whether a piece is the one that this plan would add.
  func isSame(as piece: SetupPiece) -> Bool {
    switch (piece, change) {
    case (.member(let path, let value, _), .member(let wanted, let wantedValue)):
      path == wanted && value == wantedValue
    case (.text, .lines):
      piece.shown.contains { line in
        let words = line.utf8.drop { $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: " ") }
        return keys.contains { $0.utf8.elementsEqual(words) }
      }
    default: false
    }
  }

  /// Whether a text contains what this plan would add, regardless of who added it.
  func isIn(_ bytes: [UInt8], of path: String) throws(Failure) -> Bool {
    if case .member = change { return try insertion(in: bytes, of: path) == .present }
    let text = ConfigurationText(bytes)
    return text.lines.indices.contains { line in
      let words = text.words(line).utf8
      return keys.contains { $0.utf8.elementsEqual(words) || ($0.hasSuffix("; ") && words.starts(with: $0.utf8)) }
    }
  }

  /// A text with the change in it.
  ///
  /// - Throws: `invalid_configuration` for a text that the client cannot read.
  func insertion(in bytes: [UInt8]?, of path: String) throws(Failure) -> Insertion {
    if let bytes, !bytes.isText {
      throw Failure(.invalidConfiguration, "\(path) was not changed: it is not UTF-8 text")
    }
    switch change {
    case .none: return .refused
    case .lines(let added): return try added(ConfigurationText(bytes ?? []))
    case .member(let names, let value):
      do {
        return try Insertion.member(names, value, in: bytes ?? JSONMembers.empty)
      } catch {
        if [.tooLarge, .tooDeep, .tooManyElements].contains(error.code) {
          throw Failure(.invalidConfiguration, "\(path) was not changed: it is too complex for setup")
        }
        throw Failure(
          .invalidConfiguration,
          "\(path) was not changed: it is not JSON (RFC 8259, without comments; byte \(error.offset))")
      }
    }
  }
}

extension [UInt8] {
  /// Whether it is UTF-8 without a byte order mark and without NUL.
  fileprivate var isText: Bool {
    !starts(with: [0xEF, 0xBB, 0xBF]) && !contains(0) && String(validating: self, as: UTF8.self) != nil
  }
}

extension SetupClient {
  /// - Throws: `invalid_request` if something is missing, `invalid_configuration` if the client cannot be configured.
  func plan(_ context: SetupContext) throws(Failure) -> SetupPlan {
    switch self {
    case .git: try Self.git(context)
    case .docker: try Self.docker(context)
    case .aws: try Self.aws(context)
    case .cargo: try Self.cargo(context)
    case .go: try Self.go(context)
    case .pip: try Self.pip(context)
    case .uv: try Self.uv(context)
    case .mcp: try Self.mcp(context)
    case .kubectl: try Self.kubectl(context)
    case .msmtp: try Self.msmtp(context)
    case .mbsync: try Self.mbsync(context)
    case .neomutt: try Self.neomutt(context)
    case .aerc: try Self.aerc(context)
    }
  }

  /// The name in a block's markers.
  private func mark(_ context: SetupContext) -> String { isForAllPlaces ? rawValue : "\(rawValue) \(context.url)" }

  // MARK: git

  /// The empty helper at the start discards those that would store a token longer than it is valid.
  private static func git(_ context: SetupContext) throws(Failure) -> SetupPlan {
    guard let git = InstalledProgram("git") else { throw notFound(.git) }
    let command: String
    let account = context.namesAccount ? " --account \(context.account)" : ""
    if let link = context.path(of: "git-credential-\(context.name.text)"), link.utf8.allSatisfy(ShellWord.isPlain) {
      command = link + account
    } else {
      command = "!" + context.line(context.words(.git))
    }
    var keys = [("helper", ""), ("helper", command)]
    if let path = context.place?.path, !path.isEmpty { keys.append(("useHttpPath", "true")) }
    // Editors remove trailing blanks from lines.
    let text = ["[credential \"\(context.url)\"]"] + keys.map { "\t\($0) =\($1.isEmpty ? "" : " " + $1)" }
    let file = try gitFile(context)
    let mark = SetupClient.git.mark(context)
    let expected = keys.flatMap { Array("credential.\(context.url).\($0.lowercased())\n\($1)\0".utf8) }
    return SetupPlan(
      file: file, text: text,
      change: .lines { (old) throws(Failure) in
        if try hasHelper(context, git) { return .exists("credential.\(context.url).helper") }
        let insertion = old.adding(text, named: mark, at: .end)
        // Checks with git before anything is written: a last line may continue on the next one.
        guard case .inserted(let bytes, _) = insertion,
          try settings(in: bytes, git) == (try settings(in: old.bytes, git)) + expected
        else { return .refused }
        return insertion
      }, keys: ["helper = \(command)"])
  }

  /// The file that git writes to.
  private static func gitFile(_ context: SetupContext) throws(Failure) -> SetupFile {
    if let path = context.set("GIT_CONFIG_GLOBAL") { return try SetupFile(path) }
    let file = try SetupFile("\(try context.home())/.gitconfig")
    let other = try context.configurationFile("git/config")
    if try file.read() != nil { return file }
    return try other.read() == nil ? file : other
  }

  /// Whether git has a helper for exactly this URL, in any file.
  private static func hasHelper(_ context: SetupContext, _ git: InstalledProgram) throws(Failure) -> Bool {
    let names = try output(of: git, ["config", "-z", "--name-only", "--includes", "--list"], changes: ["GIT_DIR": nil])
    return names.split(separator: 0).contains { name in
      let (start, end) = ("credential.".utf8, ".helper".utf8)
      guard name.count > start.count + end.count, name.starts(with: start), name.suffix(end.count).elementsEqual(end)
      else { return false }
      let url = String(decoding: name.dropFirst(start.count).dropLast(end.count), as: UTF8.self)
      guard let place = context.place, let other = OriginEntry(url, allowHTTPLoopback: true) else { return false }
      return place.hasPlace(of: other)
    }
  }

  private static func settings(in bytes: [UInt8], _ git: InstalledProgram) throws(Failure) -> [UInt8] {
    try output(of: git, ["config", "-z", "--file", "-", "--list"], input: bytes)
  }

  // MARK: JSON

  private static func docker(_ context: SetupContext) throws(Failure) -> SetupPlan {
    guard context.place?.path.isEmpty ?? true else {
      throw Failure(
        .invalidRequest, "docker identifies registries by host, without a path",
        hint: Phrase.choices([context.host], of: "host"))
    }
    let path = ["credHelpers", context.host]
    return try member(
      path, .string(context.name.text), in: context.file("DOCKER_CONFIG", "config.json", else: ".docker/"))
  }

  private static func mcp(_ context: SetupContext) throws(Failure) -> SetupPlan {
    // The bridge gets a token for each call. A client asks a helper for headers only when it connects.
    let words =
      ["mcp", context.serverURL ?? context.url] + (context.namesAccount ? ["--account", context.account] : [])
    let value = JSONObject([
      ("type", "stdio"), ("command", .string(context.program)), ("args", .array(words.map { .string($0) })),
    ])
    let name = try context.entryName(else: context.hostWord)
    var plan = try member(
      ["mcpServers", name], .object(value), in: context.file("CLAUDE_CONFIG_DIR", ".claude.json", else: ""))
    plan.entry = name
    return plan
  }

  private static func member(_ path: [String], _ value: JSON, in file: SetupFile) -> SetupPlan {
    SetupPlan(
      file: file, text: SetupPiece.member(path: path, value: value, made: 0).shown, change: .member(path, value))
  }

  // MARK: INI and TOML

  private static func aws(_ context: SetupContext) throws(Failure) -> SetupPlan {
    guard let role = context.role else {
      throw Failure(.invalidRequest, "no role given", hint: "use \("--role-arn")")
    }
    guard role.utf8.allSatisfy({ $0 < 0x80 && ShellWord.isLiteral($0) }), !role.isEmpty else {
      throw Failure(.invalidRequest, "the role name contains invalid characters")
    }
    let name = try context.entryName(else: context.account)
    let section = name.utf8.elementsEqual("default".utf8) ? name : "profile \(name)"
    let command = context.line(context.words(.aws, ["--role-arn", role, "--url", context.url]))
    let text = ["[\(section)]", "credential_process = \(command)"]
    let home = try context.home()
    let path = context.set("AWS_CONFIG_FILE") ?? (home + "/.aws/config")
    let file = try SetupFile(path)
    let mark = "aws \(name)"
    return SetupPlan(
      file: file, text: text,
      change: .lines { (old) throws(Failure) in
        let bare = String(decoding: section.utf8.filter { $0 != UInt8(ascii: " ") }, as: UTF8.self)
        if old.header(bare) != nil { return .exists("[\(section)]") }
        return old.adding(text, named: mark, at: .end)
      }, keys: [text[1]], entry: name)
  }

  private static func pip(_ context: SetupContext) throws(Failure) -> SetupPlan {
    let key = "keyring-provider = subprocess"
    return SetupPlan(
      file: try settingsFile(.pip, "PIP_CONFIG_FILE", "pip/pip.conf", context), text: ["[global]", key],
      change: .lines { (old) throws(Failure) in
        guard let header = old.header("global") else {
          return old.adding(["[global]", key], named: "pip", at: .end)
        }
        let section = old.section(header)
        // After a key with less indentation, the other lines would continue its value.
        let indentation = old.firstKey(in: section).map(old.indentation) ?? ""
        return existing("keyring-provider", "subprocess", in: old, section)
          ?? old.adding([indentation + key], named: "pip", at: .behind(line: header))
      }, keys: [key],
      notes: [
        Phrase("older versions of pip ask only if the index URL has a user name: https://oauth2@HOST/simple/")
      ])
  }

  private static func uv(_ context: SetupContext) throws(Failure) -> SetupPlan {
    let key = "keyring-provider = \"subprocess\""
    return SetupPlan(
      file: try settingsFile(.uv, "UV_CONFIG_FILE", "uv/uv.toml", context), text: [key],
      change: .lines { (old) throws(Failure) in
        let old = ConfigurationText(old.bytes, isTOML: true)
        if old.hasLongStrings { return .refused }
        return existing("keyring-provider", "subprocess", in: old, old.section(nil))
          ?? old.adding([key], named: "uv", at: .start)
      }, keys: [key],
      notes: [Phrase("uv asks only if the index URL has a user name: https://oauth2@HOST/simple/")]
    )
  }

  /// The file named by a variable, otherwise the one below the user's configuration.
  private static func settingsFile(
    _ client: SetupClient, _ variable: String, _ name: String, _ context: SetupContext
  ) throws(Failure) -> SetupFile {
    guard let path = context.set(variable) else { return try context.configurationFile(name) }
    guard path != "/dev/null" else { throw readsNothing(client, variable, path) }
    return try SetupFile(path)
  }

  private static func readsNothing(_ client: SetupClient, _ variable: String, _ value: String) -> Failure {
    Failure(.invalidConfiguration, "\(client.rawValue) reads no settings file: \(variable) is \(value)")
  }

  private static func existing(
    _ key: String, _ wanted: String, in text: ConfigurationText, _ section: Range<Int>
  ) -> Insertion? {
    text.value(key, in: section).map { $0.utf8.elementsEqual(wanted.utf8) ? .present : .exists(key) }
  }

  private static func cargo(_ context: SetupContext) throws(Failure) -> SetupPlan {
    let index = "sparse+\(context.url)/"
    let provider = ([context.program] + context.words(.cargo)).map { "\"\($0)\"" }.joined(separator: ", ")
    let key = "credential-provider = [\(provider)]"
    let isNamed = context.entryName != nil
    var file = try context.file("CARGO_HOME", "config.toml", else: ".cargo/")
    // cargo rejects two names for one index, and the project may define the other.
    let other =
      isNamed
      ? nil
      : CargoFile.all(from: context.workingDirectory(), own: file.directory).lazy
        .compactMap { $0.text.registry(index: index) }.first { SetupContext.isEntryName($0.name) }
    let name = try context.entryName(else: other?.name ?? context.hostWord)
    let table = ["[registries.\(name)]", "index = \"\(index)\"", key]
    let mark = SetupClient.cargo.mark(context)
    // cargo prefers the older name.
    let older = try context.file("CARGO_HOME", "config", else: ".cargo/")
    if try older.read() != nil { file = older }
    return SetupPlan(
      file: file, text: table,
      change: .lines { (old) throws(Failure) in
        let old = ConfigurationText(old.bytes, isTOML: true)
        if old.hasLongStrings || old.hasInlineRegistries { return .refused }
        let known = isNamed ? nil : old.registry(index: index)?.header
        guard let header = known ?? old.header("registries.\(name)") else {
          return old.adding(table, named: mark, at: .end)
        }
        let section = old.section(header)
        if old.value("credential-provider", in: section) != nil { return .exists("credential-provider") }
        guard old.value("index", in: section).map({ CargoFile.isSame($0, index) }) ?? (other != nil) else {
          return .exists("registries.\(name)")
        }
        return old.adding([key], named: mark, at: .behind(line: header))
      }, keys: [key])
  }

  // MARK: go

  /// `go env -w` sorts the lines of its file and drops some, so the file is changed here. Ours is the first of several
  /// commands: its output overrides an old password in `~/.netrc`, and it prints nothing for unlisted URLs.
  private static func go(_ context: SetupContext) throws(Failure) -> SetupPlan {
    guard let go = InstalledProgram("go") else { throw notFound(.go) }
    let answer = try output(of: go, ["env", "GOENV", "GOAUTH"])
    let values = answer.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
    guard values.count >= 2, !values[1].isEmpty else {
      throw Failure(.invalidConfiguration, "this version of go is older than 1.24 and has no GOAUTH")
    }
    guard !values[0].isEmpty, values[0] != "off" else {
      throw readsNothing(.go, "GOENV", "off")
    }
    let command = context.line(context.words(.go))
    let text = "GOAUTH=\(command); netrc"
    return SetupPlan(
      file: try SetupFile(values[0]), text: [text],
      change: .lines { (old) throws(Failure) in
        let lines = old.lines.indices.filter { old.bytes[old.lines[$0]].starts(with: "GOAUTH=".utf8) }
        guard let line = lines.first else { return old.adding([text], named: "go", at: .end) }
        let value = old.words(line).utf8.dropFirst("GOAUTH=".utf8.count)
        if value.elementsEqual(text.utf8.dropFirst("GOAUTH=".utf8.count)) { return .present }
        guard lines.count == 1, !value.isEmpty, !value.elementsEqual("off".utf8) else { return .exists("GOAUTH") }
        if value.starts(with: (command + ";").utf8) { return .present }
        return old.adding("\(command); ", behind: "GOAUTH=")
      }, keys: [text, "GOAUTH=\(command); "],
      notes: context.set("GOAUTH") == nil
        ? [] : [Phrase("GOAUTH is set in this shell and overrides the file")])
  }

  // MARK: Programs

  private static func notFound(_ client: SetupClient) -> Failure {
    Failure(.invalidConfiguration, "\(client.rawValue) is not in PATH, so its file cannot be checked")
  }

  /// The output of a client's own command.
  private static func output(
    of program: InstalledProgram, _ words: [String], input: [UInt8] = [], changes: [String: String?] = [:]
  ) throws(Failure) -> [UInt8] {
    let result: InstalledProgram.Result
    do {
      result = try program.run(words, input: input, changes: changes, limit: 1 << 22)
    } catch {
      throw Failure(error, doing: Phrase("cannot run \(program.path)"))
    }
    guard result.succeeded else {
      throw Failure(.invalidConfiguration, "\(program.path) cannot read its settings, which were not changed")
    }
    return result.output
  }
}

extension ConfigurationText {
  /// Whether a TOML text has multi-line strings, which can contain text that looks like a section.
  fileprivate var hasLongStrings: Bool { contains("\"\"\"") || contains("'''") }

  /// Whether cargo's registries are written in another form than separate tables.
  fileprivate var hasInlineRegistries: Bool {
    header("registries") != nil
      || section(nil).contains { line in
        let text = bare(line).utf8
        return text.starts(with: "registries.".utf8) || text.starts(with: "registries=".utf8)
      }
  }
}
