internal import AgentSocket
internal import Encoding
internal import Platform
internal import Vocabulary
internal import Wire

/// Checks the programs that ask this one for tokens, and finds what prevents that.
enum ProgramCheck {
  /// How long other programs may take in total.
  private static let patience = Duration.milliseconds(1500)

  static func run() -> [Finding] {
    let end = Instant.now.advanced(by: patience)
    var findings: [Finding] = []
    var used: Set<SetupClient> = []
    do throws(Failure) {
      let receipts = try SetupReceipts.read().all
      for receipt in receipts {
        used.insert(receipt.client)
        findings += setup(receipt)
      }
      findings += awsKeys(of: receipts.filter { $0.client == .aws }.compactMap(\.entry))
    } catch {
      findings.append(Finding(.setup, .fail, error))
    }
    let git = gitHelpers(until: end)
    if git.isUsed { used.insert(.git) }
    if usesKubectl { used.insert(.kubectl) }
    findings += git.findings
    if used.contains(.go) { findings += goCommands(until: end) }
    findings += OldestVersion.all.filter { used.contains($0.client) }.flatMap { $0.check(until: end) }
    return findings + variables()
  }

  // MARK: Files written by setup

  private static func setup(_ receipt: SetupReceipt) -> [Finding] {
    let outcome = receipt.outcome
    var words = ["agent", "setup", receipt.client.rawValue]
    if let place = receipt.place { words += ["--host", place] }
    let again = Phrase(verbatim: words.map(ShellWord.quoted).joined(separator: " "))
    if outcome.state != .setUp {
      return [
        Finding(.setup, .warn, Phrase("\(outcome.subject) was changed in \(receipt.file) after setup"), hint: again)
      ]
    }
    let paths = receipt.piece?.shown.compactMap { AbsolutePaths.first(in: $0) } ?? []
    // A network path is not a file.
    if let gone = paths.first(where: { !$0.utf8.starts(with: "//".utf8) && FileAccess(of: $0) == .missing }) {
      return [Finding(.setup, .fail, Phrase("\(outcome.subject) runs \(gone), which does not exist"), hint: again)]
    }
    if let link = receipt.link, let problem = problem(of: link, again) { return [problem] }
    return [Finding(.setup, .ok, outcome.phrase)]
  }

  /// Why a program cannot find this one by the name that setup has linked.
  private static func problem(of link: (name: String, target: String), _ again: Phrase) -> Finding? {
    guard let directory = try? SetupLinks.directory() else { return nil }
    let path = "\(directory)/\(link.name)"
    guard Spawn.isSame(path, Machine.executablePath()) else {
      return Finding(.setup, .fail, Phrase("\(path) does not link to this program"), hint: again)
    }
    guard let found = Spawn.search(link.name), Spawn.isSame(found, path) else {
      return Finding(
        .setup, .fail, Phrase("\(link.name) in PATH is not \(path)"),
        hint: Phrase(verbatim: "export PATH=\(ShellWord.quoted(directory)):\"$PATH\""))
    }
    return nil
  }

  // MARK: git

  private static func gitHelpers(until end: Instant) -> (findings: [Finding], isUsed: Bool) {
    let entries = GitHelperEntry.all(patience: Instant.now.duration(to: end))
    var findings: [Finding] = []
    var isUsed = false
    var seen: [String?] = []
    for ours in entries where ours.isOurs && !seen.contains(ours.url) {
      seen.append(ours.url)
      isUsed = true
      let place = ours.url ?? "git"
      if let path = AbsolutePaths.first(in: ours.helper), FileAccess(of: path) == .missing {
        findings.append(
          Finding(
            .helper, .fail, Phrase("git runs \(path) for \(place), which does not exist"),
            hint: Phrase("agent setup git")))
        continue
      }
      // An empty helper discards all previous ones.
      let all = entries.filter { $0.url == nil || $0.url == ours.url }
      let rest = all.lastIndex { $0.helper.isEmpty }.map { all[($0 + 1)...] } ?? all[...]
      let others = rest.filter { !$0.isOurs }.map { programName($0.helper) }
      guard let first = rest.first, let other = others.first else {
        findings.append(Finding(.helper, .ok, Phrase("git uses this program for \(place)")))
        continue
      }
      let text =
        first.isOurs
        ? Phrase("git also passes the tokens for \(place) to another helper: \(other)")
        : Phrase("git uses another helper first for \(place): \(other)")
      findings.append(Finding(.helper, .warn, text, hint: Phrase("agent setup git")))
    }
    return (findings, isUsed)
  }

  /// The name of a helper without its arguments, which may be secret.
  static func programName(_ helper: String) -> String {
    let word = helper.split(separator: " ").first.map { String($0) } ?? helper
    return TerminalText.clean(word.split(separator: "/").last.map { String($0) } ?? word, limit: 64)
  }

  // MARK: go

  /// Commands in `GOAUTH` that precede this program.
  private static func goCommands(until end: Instant) -> [Finding] {
    let left = Instant.now.duration(to: end)
    guard left > .zero, let go = InstalledProgram("go"),
      let result = try? go.run(["env", "GOAUTH"], patience: left, limit: 65_536), result.succeeded
    else { return [] }
    let commands = String(decoding: result.output, as: UTF8.self).split(separator: ";").map {
      String($0.drop { $0 == " " }.prefix { $0 != "\n" })
    }
    let ours = commands.firstIndex { ConfigurationText(Array($0.utf8)).contains(" helper go") }
    guard let ours else {
      return [Finding(.helper, .warn, Phrase("go does not use this program"), hint: Phrase("agent setup go"))]
    }
    guard ours > 0 else { return [Finding(.helper, .ok, Phrase("go uses this program"))] }
    let other = programName(commands[0])
    return [
      Finding(.helper, .warn, Phrase("go uses another command first: \(other)"), hint: Phrase("agent setup go --undo"))
    ]
  }

  // MARK: kubectl

  private static var usesKubectl: Bool {
    let home = (try? UserDirectories.home(in: Environment.value)) ?? ""
    let files = (Environment.value("KUBECONFIG") ?? "\(home)/.kube/config").split(separator: ":").map { String($0) }
    return files.contains { path in
      guard let file = try? FileDescriptor(opening: path, for: .reading),
        let bytes = try? file.readToEnd(limit: 1 << 20)
      else { return false }
      let text = ConfigurationText(bytes)
      return ["kubectl", ProgramName.current.text, "helper"].allSatisfy { text.contains($0) }
    }
  }

  // MARK: Variables

  /// Variables that override this program's tokens. Their values are not shown.
  private static let overriding = [
    "AGENT_ACCOUNT", "AWS_ACCESS_KEY_ID", "AWS_CONFIG_FILE", "AWS_PROFILE", "AWS_ROLE_ARN",
    "AWS_SHARED_CREDENTIALS_FILE", "AWS_WEB_IDENTITY_TOKEN_FILE", "CARGO_REGISTRY_CREDENTIAL_PROVIDER",
    "CARGO_REGISTRY_TOKEN", "DOCKER_AUTH_CONFIG", "GIT_ASKPASS", "GIT_CONFIG_COUNT", "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_PARAMETERS", "GOAUTH", "GOENV", "GOOGLE_APPLICATION_CREDENTIALS", "NETRC",
    "PIP_CONFIG_FILE", "PIP_INDEX_URL", "PIP_KEYRING_PROVIDER", "REGISTRY_AUTH_FILE", "UV_CONFIG_FILE",
    "UV_KEYRING_PROVIDER",
  ]

  /// Overriding variables that exist for each registry or index, by prefix and suffix.
  private static let overridingEach = [
    ("CARGO_REGISTRIES_", "_TOKEN"), ("CARGO_REGISTRIES_", "_CREDENTIAL_PROVIDER"), ("UV_INDEX_", ""),
  ]

  private static func variables() -> [Finding] {
    let set = Environment.all().filter { name, value in
      let isOfEach = overridingEach.contains { name.hasPrefix($0.0) && name.hasSuffix($0.1) }
      return !value.isEmpty && (isOfEach || overriding.contains { $0.utf8.elementsEqual(name.utf8) })
    }
    return set.map { name, _ in
      Finding(
        .variable, .warn, Phrase("\(name) is set and overrides the settings"),
        hint: Phrase(verbatim: "unset \(TerminalText.clean(name, limit: 64))"))
    }
  }
}

/// A program whose older versions do not support its helper.
private struct OldestVersion {
  let client: SetupClient
  let arguments: [String]
  /// The text before the number.
  let word: String
  let major: Int
  let minor: Int
  let consequence: Phrase

  static var all: [OldestVersion] {
    [
      OldestVersion(
        client: .git, arguments: ["--version"], word: "version ", major: 2, minor: 46,
        consequence: Phrase("it accepts tokens only as passwords")),
      OldestVersion(
        client: .kubectl, arguments: ["version", "--client"], word: "v", major: 1, minor: 22,
        consequence: Phrase("it does not know version 1 of the protocol")),
      OldestVersion(
        client: .go, arguments: ["version"], word: "version go", major: 1, minor: 24,
        consequence: Phrase("it does not know GOAUTH")),
      OldestVersion(
        client: .pip, arguments: ["--version"], word: "pip ", major: 23, minor: 1,
        consequence: Phrase("it does not know the option keyring-provider")),
    ]
  }

  func check(until end: Instant) -> [Finding] {
    guard let path = client.program, let program = InstalledProgram(path) else {
      return [
        Finding(
          .program, .warn, Phrase("\(client.rawValue) is not in PATH"),
          hint: Phrase(verbatim: "agent setup \(client.rawValue) --undo"))
      ]
    }
    let left = Instant.now.duration(to: end)
    guard left > .zero, let result = try? program.run(arguments, patience: left, limit: 65_536),
      let (found, minor) = number(in: String(decoding: result.output, as: UTF8.self))
    else { return [Finding(.program, .ok, Phrase("\(path) did not print its version"))] }
    let version = "\(found).\(minor)"
    if (found, minor) < (self.major, self.minor) {
      return [
        Finding(
          .program, .warn, Phrase("\(path) has version \(version): \(consequence)"),
          hint: Phrase("install a later version of \(client.rawValue)"))
      ]
    }
    return [Finding(.program, .ok, Phrase("\(path), version \(version)"))]
  }

  private func number(in text: String) -> (Int, Int)? {
    let bytes = Array(text.utf8)
    let start = bytes.indices.first { place in
      bytes[place...].starts(with: word.utf8) && place + word.utf8.count < bytes.count
        && bytes[place + word.utf8.count].isASCIIDigit
    }
    guard let start else { return nil }
    let parts = bytes[(start + word.utf8.count)...].prefix { $0.isASCIIDigit || $0 == UInt8(ascii: ".") }
      .split(separator: UInt8(ascii: "."))
    guard parts.count >= 2, let major = Int(String(decoding: parts[0], as: UTF8.self)),
      let minor = Int(String(decoding: parts[1], as: UTF8.self))
    else { return nil }
    return (major, minor)
  }
}

/// A helper in git's own settings.
struct GitHelperEntry: Sendable {
  /// The URL that it applies to; nil for all.
  let url: String?
  /// Its command; an empty one discards all previous helpers.
  let helper: String

  /// All helpers in git's order. Empty if git reports none.
  static func all(patience: Duration = .seconds(5)) -> [GitHelperEntry] {
    guard let git = InstalledProgram("git"),
      let result = try? git.run(
        ["config", "-z", "--includes", "--get-regexp", "^credential\\.(.*\\.)?helper$"],
        changes: ["GIT_DIR": nil], patience: patience),
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

  var isOurs: Bool {
    let name = ProgramName.current.text
    let text = ConfigurationText(Array(helper.utf8))
    return ["git-credential-\(name)", "\(name)' helper git", "\(name) helper git"].contains { text.contains($0) }
      || helper.utf8.elementsEqual(name.utf8)
  }

  /// Whether git asks it for an origin.
  func isFor(_ place: OriginEntry?) -> Bool {
    guard let url else { return true }
    guard let place, let own = OriginEntry(url, allowHTTPLoopback: true) else { return false }
    return own.origin.utf8.elementsEqual(place.origin.utf8) && own.covers(place.path)
  }
}
