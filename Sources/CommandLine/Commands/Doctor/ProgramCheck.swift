internal import AgentSocket
internal import Encoding
internal import Platform
internal import Wire

/// The programs that ask this one for tokens, and what stands in their way.
enum ProgramCheck {
  /// How long other programs may take, all together.
  private static let patience = Duration.milliseconds(1500)

  static func run() -> [Finding] {
    let end = Instant.now.advanced(by: patience)
    var findings: [Finding] = []
    var used: Set<SetupClient> = []
    do throws(Failure) {
      for receipt in try SetupReceipts.read().all {
        used.insert(receipt.client)
        findings += setup(receipt)
      }
    } catch {
      findings.append(Finding(.setup, .fail, error))
    }
    let git = gitHelpers(until: end)
    if git.isUsed { used.insert(.git) }
    if usesKubectl { used.insert(.kubectl) }
    findings += git.findings + dockerHelpers()
    findings += OldestVersion.all.filter { used.contains($0.client) }.flatMap { $0.check(until: end) }
    return findings + variables()
  }

  // MARK: What setup has written

  private static func setup(_ receipt: SetupReceipt) -> [Finding] {
    let outcome = receipt.outcome
    var words = ["agent", "setup", receipt.client.rawValue]
    if let place = receipt.place { words += ["--host", place] }
    let again = Phrase(verbatim: words.map(ShellWord.quoted).joined(separator: " "))
    if outcome.state != .setUp {
      return [
        Finding(.setup, .warn, Phrase("\(outcome.subject) was changed since, in \(receipt.file)"), hint: again)
      ]
    }
    let paths = receipt.piece?.shown.compactMap { AbsolutePaths.first(in: $0) } ?? []
    // A place of the Web is no file.
    if let gone = paths.first(where: { !$0.utf8.starts(with: "//".utf8) && FileAccess(of: $0) == .missing }) {
      return [Finding(.setup, .fail, Phrase("\(outcome.subject) is to run \(gone), which is not there"), hint: again)]
    }
    return [Finding(.setup, .ok, outcome.phrase)]
  }

  // MARK: git

  private static func gitHelpers(until end: Instant) -> (findings: [Finding], isUsed: Bool) {
    guard let git = InstalledProgram("git"),
      let result = try? git.run(
        ["config", "-z", "--includes", "--get-regexp", "^credential\\.(.*\\.)?helper$"],
        changes: ["GIT_DIR": nil], patience: Instant.now.duration(to: end)),
      result.succeeded
    else { return ([], false) }
    var entries: [(url: String?, helper: String)] = []
    for entry in result.output.split(separator: 0) {
      let parts = entry.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(decoding: parts[0], as: UTF8.self)
      let url =
        name.utf8.count > "credential.helper".utf8.count
        ? String(decoding: name.utf8.dropFirst("credential.".utf8.count).dropLast(".helper".utf8.count), as: UTF8.self)
        : nil
      entries.append((url, parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : ""))
    }
    var findings: [Finding] = []
    var isUsed = false
    var seen: [String?] = []
    for ours in entries where isOurs(ours.helper) && !seen.contains(ours.url) {
      seen.append(ours.url)
      isUsed = true
      let place = ours.url ?? "git"
      if let path = AbsolutePaths.first(in: ours.helper), FileAccess(of: path) == .missing {
        findings.append(
          Finding(
            .helper, .fail, Phrase("git is to run \(path) for \(place), which is not there"),
            hint: Phrase("agent setup git")))
        continue
      }
      // An empty one takes all away that came before.
      let all = entries.filter { $0.url == nil || $0.url == ours.url }.map(\.helper)
      let rest = all.lastIndex(of: "").map { all[($0 + 1)...] } ?? all[...]
      let others = rest.filter { !isOurs($0) }.map(programName)
      guard let first = rest.first, let other = others.first else {
        findings.append(Finding(.helper, .ok, Phrase("git asks this program for \(place)")))
        continue
      }
      let text =
        isOurs(first)
        ? Phrase("git gives the tokens for \(place) to another helper too: \(other)")
        : Phrase("git asks another helper first for \(place): \(other)")
      findings.append(Finding(.helper, .warn, text, hint: Phrase("agent setup git")))
    }
    return (findings, isUsed)
  }

  private static func isOurs(_ helper: String) -> Bool {
    let name = ProgramName.current.text
    let text = ConfigurationText(Array(helper.utf8))
    return ["git-credential-\(name)", "\(name)' helper git", "\(name) helper git"].contains { text.contains($0) }
      || helper.utf8.elementsEqual(name.utf8)
  }

  /// The name of a helper without its words, which may be secret.
  private static func programName(_ helper: String) -> String {
    let word = helper.split(separator: " ").first.map { String($0) } ?? helper
    return TerminalText.clean(word.split(separator: "/").last.map { String($0) } ?? word, limit: 64)
  }

  // MARK: Docker

  private static func dockerHelpers() -> [Finding] {
    let home = (try? UserDirectories.home(in: Environment.value)) ?? ""
    let directory = Environment.value("DOCKER_CONFIG").flatMap { $0.isEmpty ? nil : $0 } ?? "\(home)/.docker"
    guard let file = try? SetupFile("\(directory)/config.json"), let bytes = (try? file.read()).flatMap({ $0 }),
      let helpers = (try? JSON(parsing: bytes))?["credHelpers"]?.object
    else { return [] }
    let name = ProgramName.current.text
    let program = "docker-credential-\(name)"
    let places = helpers.names.filter { helpers[$0]?.string == name }
    guard !places.isEmpty else { return [] }
    guard Spawn.search(program) != nil else {
      return [Finding(.helper, .fail, Phrase("docker looks for \(program), which is not on the PATH"))]
    }
    return places.map { Finding(.helper, .ok, Phrase("docker asks this program for \($0)")) }
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

  /// Variables that go before what this program gives. Their values are nobody's business.
  private static let overriding = [
    "AGENT_ACCOUNT", "AWS_ACCESS_KEY_ID", "AWS_PROFILE", "AWS_WEB_IDENTITY_TOKEN_FILE", "DOCKER_AUTH_CONFIG",
    "GIT_ASKPASS", "GIT_CONFIG_COUNT", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_PARAMETERS", "GOAUTH",
    "GOOGLE_APPLICATION_CREDENTIALS", "PIP_KEYRING_PROVIDER", "UV_KEYRING_PROVIDER",
  ]

  private static func variables() -> [Finding] {
    let set = Environment.all().filter { name, value in
      let isToken = name.utf8.starts(with: "CARGO_REGISTRIES_".utf8) && name.utf8.suffix(6).elementsEqual("_TOKEN".utf8)
      return !value.isEmpty && (isToken || overriding.contains { $0.utf8.elementsEqual(name.utf8) })
    }
    return set.map { name, _ in Finding(.variable, .warn, Phrase("\(name) is set, and goes before the settings")) }
  }
}

/// A program that does not know what its helper needs before a version.
private struct OldestVersion {
  let client: SetupClient
  let arguments: [String]
  /// What comes before the number.
  let word: String
  let major: Int
  let minor: Int
  let consequence: Phrase

  static var all: [OldestVersion] {
    [
      OldestVersion(
        client: .git, arguments: ["--version"], word: "version ", major: 2, minor: 46,
        consequence: Phrase("it takes tokens as passwords only")),
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
      return [Finding(.program, .warn, Phrase("\(client.rawValue) is not on the PATH"))]
    }
    let left = Instant.now.duration(to: end)
    guard left > .zero, let result = try? program.run(arguments, patience: left, limit: 65_536),
      let (found, minor) = number(in: String(decoding: result.output, as: UTF8.self))
    else { return [Finding(.program, .ok, Phrase("\(path) did not tell its version"))] }
    let version = "\(found).\(minor)"
    if (found, minor) < (self.major, self.minor) {
      return [Finding(.program, .warn, Phrase("\(path) is of version \(version): \(consequence)"))]
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
