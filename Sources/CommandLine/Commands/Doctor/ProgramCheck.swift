internal import Encoding
internal import Platform
internal import Wire

enum ProgramCheck {
  /// The limit for all programs together.
  private static let timeout = Duration.milliseconds(1500)

  /// Runs all checks except ``helpers(for:)``.
  static func run() -> [Finding] {
    let end = Instant.now.advanced(by: timeout)
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
      findings.add(.setup, .fail, error)
    }
    let git = gitHelpers(until: end)
    if git.isUsed { used.insert(.git) }
    if isUsedByKubectl { used.insert(.kubectl) }
    findings += git.findings
    if used.contains(.go) { findings += goCommands(until: end) }
    findings += SetupClient.all.filter { used.contains($0) }.compactMap { version(of: $0, until: end) }
    return findings + variables()
  }

  /// Checks that an addition by `agent setup` still works.
  private static func setup(_ receipt: SetupReceipt) -> [Finding] {
    let outcome = receipt.outcome
    var words = ["agent", "setup", receipt.client.name]
    if let url = receipt.url { words += ["--host", url] }
    let again = Phrase(verbatim: words.map(ShellWord.quoted).joined(separator: " "))
    if outcome.state != .setUp {
      return [
        Finding(.setup, .warn, Phrase("\(outcome.subject) was changed in \(receipt.file) after setup"), hint: again)
      ]
    }
    let paths = receipt.addition?.addedLines.compactMap { AbsolutePaths.first(in: $0) } ?? []
    if let gone = paths.first(where: { !$0.utf8.starts(with: "//".utf8) && FileAccess(of: $0) == .missing }) {
      return [Finding(.setup, .fail, Phrase("\(outcome.subject) runs \(gone), which does not exist"), hint: again)]
    }
    if let link = receipt.link, let problem = problem(of: link, again) { return [problem] }
    return [Finding(.setup, .ok, outcome.phrase)]
  }

  /// `again` is the command that repeats the setup.
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

  private static func gitHelpers(until end: Instant) -> (findings: [Finding], isUsed: Bool) {
    let entries = GitHelperEntry.all(timeout: Instant.now.duration(to: end))
    var findings: [Finding] = []
    var isUsed = false
    var seen: [String?] = []
    let name = ProgramName.current.text
    for ours in entries where ours.isOurs(name) && !seen.contains(ours.url) {
      seen.append(ours.url)
      isUsed = true
      let url = ours.url ?? "git"
      if let path = AbsolutePaths.first(in: ours.helper), FileAccess(of: path) == .missing {
        findings.add(
          .helper, .fail, Phrase("git runs \(path) for \(url), which does not exist"),
          hint: Phrase("agent setup git"))
        continue
      }
      let asked = GitHelperEntry.asked(for: ours.origin, of: entries)
      guard let first = asked.first, let other = asked.first(where: { !$0.isOurs(name) }) else {
        findings.add(.helper, .ok, Phrase("git uses this program for \(url)"))
        continue
      }
      let text =
        first.isOurs(name)
        ? Phrase("git also passes the tokens for \(url) to another helper: \(programName(other.helper))")
        : Phrase("git uses another helper first for \(url): \(programName(other.helper))")
      findings.add(.helper, .warn, text, hint: Phrase("agent setup git"))
    }
    return (findings, isUsed)
  }

  /// Omits the arguments, which may be secret.
  static func programName(_ helper: String) -> String {
    let word = helper.split(separator: " ").first.map { String($0) } ?? helper
    return TerminalText.clean(word.split(separator: "/").last.map { String($0) } ?? word, limit: 64)
  }

  /// Warns if this program is not first in `GOAUTH`.
  private static func goCommands(until end: Instant) -> [Finding] {
    let left = Instant.now.duration(to: end)
    guard left > .zero, let go = InstalledProgram("go"),
      let result = try? go.run(["env", "GOAUTH"], timeout: left, limit: 65_536), result.succeeded
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

  private static var isUsedByKubectl: Bool {
    let files = (try? SetupClient.kubectl.printedSettingsFiles?(UserFiles())).flatMap { $0 } ?? []
    return files.contains { file in
      let text = ConfigurationText((try? file.read()).flatMap { $0 } ?? [])
      return ["kubectl", ProgramName.current.text, "helper"].allSatisfy { text.contains($0) }
    }
  }

  /// Variables that make programs use another token. Never print their values.
  private static let overridingVariables = ["AGENT_ACCOUNT", "GOOGLE_APPLICATION_CREDENTIALS", "NETRC"]

  private static func variables() -> [Finding] {
    let names = overridingVariables + SetupClient.all.flatMap(\.overridingVariables)
    let each = SetupClient.all.flatMap(\.overridingVariableAffixes)
    let set = Environment.all().filter { name, value in
      let isOfEach = each.contains { name.hasPrefix($0.prefix) && name.hasSuffix($0.suffix) }
      return !value.isEmpty && (isOfEach || names.contains { $0.hasSameBytes(as: name) })
    }
    return set.map { name, _ in
      Finding(
        .variable, .warn, Phrase("\(name) is set and overrides the settings"),
        hint: Phrase(verbatim: "unset \(TerminalText.clean(name, limit: 64))"))
    }
  }

  /// Checks the installed version. Nil if the client has no minimum version.
  private static func version(of client: SetupClient, until end: Instant) -> Finding? {
    guard let oldest = client.minimumVersion else { return nil }
    guard let path = client.path, let program = InstalledProgram(path) else {
      return Finding(
        .program, .warn, Phrase("\(client.name) is not in PATH"),
        hint: Phrase(verbatim: "agent setup \(client.name) --undo"))
    }
    let left = Instant.now.duration(to: end)
    guard left > .zero, let result = try? program.run(oldest.arguments, timeout: left, limit: 65_536),
      let (major, minor) = oldest.number(in: result.output)
    else { return Finding(.program, .ok, Phrase("\(path) did not print its version")) }
    let version = "\(major).\(minor)"
    guard (major, minor) < (oldest.major, oldest.minor) else {
      return Finding(.program, .ok, Phrase("\(path), version \(version)"))
    }
    return Finding(
      .program, .warn, Phrase("\(path) has version \(version): \(oldest.consequence())"),
      hint: Phrase("install a later version of \(client.name)"))
  }
}

extension ClientVersion {
  /// The major and minor version in a program's output, if any.
  fileprivate func number(in bytes: [UInt8]) -> (Int, Int)? {
    let start = bytes.indices.first { index in
      bytes[index...].starts(with: outputPrefix.utf8) && index + outputPrefix.utf8.count < bytes.count
        && bytes[index + outputPrefix.utf8.count].isASCIIDigit
    }
    guard let start else { return nil }
    let parts = bytes[(start + outputPrefix.utf8.count)...].prefix { $0.isASCIIDigit || $0 == UInt8(ascii: ".") }
      .split(separator: UInt8(ascii: "."))
    guard parts.count >= 2, let major = Int(String(decoding: parts[0], as: UTF8.self)),
      let minor = Int(String(decoding: parts[1], as: UTF8.self))
    else { return nil }
    return (major, minor)
  }
}
