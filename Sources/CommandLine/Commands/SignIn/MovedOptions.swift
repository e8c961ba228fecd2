internal import Encoding
internal import Wire

/// Options of `agent login` that moved to other commands. Accepted only to name those commands in a failure.
struct MovedOptions {
  private let invocation: Invocation
  private let occurrences: [Invocation.Occurrence]

  /// The options that moved to `agent account`.
  private static let settings = AccountSetting.withOption.filter {
    !AccountSetting.withLoginOption.contains($0) && $0.option?.group != .workload
  }

  /// The options that moved to `agent workload`.
  private static let workload =
    AccountSetting.withOption.filter { $0.option?.group == .workload }.map(\.declaration) + [
      Option.guest.declaration, Option.assertionFD.declaration,
    ]

  static var declarations: [OptionDeclaration] {
    settings.map(\.declaration) + Options.levelSecrets + workload + [
      Option.clientSecretEnvironment.declaration, Option.initialAccessTokenFile.declaration,
      Option.noWait.declaration, Option.copyCode.declaration, Option.qrCode.declaration, Option.qr.declaration,
      Option.use.declaration,
    ]
  }

  /// Nil without a moved option. `--ephemeral` permits the options for settings, except the protection level.
  init?(_ invocation: Invocation) {
    let isEphemeral = !invocation.arguments(of: Option.ephemeral.declaration).isEmpty
    self.init(invocation, invocation.given) { option in
      !isEphemeral || !Self.settings.contains { $0 !== AccountSetting.table.protection && $0.optionName == option.name }
    }
  }

  /// `isRefused` selects the options to report. Nil if there are none.
  private init?(
    _ invocation: Invocation, _ given: [Invocation.Occurrence], where isRefused: (OptionDeclaration) -> Bool
  ) {
    let moved = Self.declarations
    self.invocation = invocation
    self.occurrences = given.filter { given in
      moved.contains { $0.name == given.option.name } && isRefused(given.option)
    }
    guard !self.occurrences.isEmpty else { return nil }
  }

  /// Rejects the options, with the commands to use instead as the hint.
  func failure(_ client: DaemonClient) -> Failure {
    for (option, _) in invocation.given { _ = invocation.has(option) }
    let spelling = "--\(occurrences[0].option.name)"
    let commands = commands(client)
    return Failure(
      .invalidRequest, "\"\(spelling)\" is not an option of \("agent login")",
      hint: commands.map { Phrase(verbatim: $0.joined(separator: " && ")) }
        ?? Phrase("name the server, too: \("--issuer"); for known services see agent help providers"))
  }

  /// The commands to use instead; nil if a new account's server is not given.
  private func commands(_ client: DaemonClient) -> [String]? {
    let named = (try? invocation.namedAccount(operand: nil)) ?? nil
    let operand = invocation.operands.first
    if isGiven(Self.workload) {
      let offered = LoginCommand.workload
      return [
        command(["workload"] + [operand ?? named].compactMap { $0 }) { option in
          offered.option { $0.name == option.name } != nil && option.name != Option.guest.name
            && option.name != Option.account.name
        }
      ]
    }
    let needsAccount = isGiven(Self.settings.map(\.declaration) + [Option.use.declaration])
    guard let (account, isNew, server) = account(operand ?? named, client) ?? (needsAccount ? nil : ("", false, []))
    else { return nil }
    var commands: [String] = []
    let changes =
      Self.settings.map(\.declaration)
      + (isGiven([AccountSetting.table.protection.declaration]) ? Options.levelSecrets : [])
    if isGiven(changes) {
      let atSignIn = isNew ? AccountSetting.withLoginOption.map(\.declaration) : []
      let line = command(["account", isNew ? "add" : "set", account] + (server ?? [])) { option in
        (changes + atSignIn).contains { $0.name == option.name }
      }
      commands.append(line)
    } else if isGiven(Options.levelSecrets) {
      commands.append(command(["unlock"]) { option in Options.levelSecrets.contains { $0.name == option.name } })
    }
    let isAdded = isNew && !commands.isEmpty
    let signsIn = LoginCommand.login
    var line = command(["login"] + [isAdded ? account : operand].compactMap { $0 }) { option in
      (signsIn.options + Options.common).contains { $0.name == option.name }
        && !(isAdded && AccountSetting.withLoginOption.contains { $0.optionName == option.name })
    }
    if isGiven([Option.noWait.declaration]) { line += " --start" }
    if let file = invocation[.initialAccessTokenFile] { line += " --client-secret-file \(ShellWord.quoted(file))" }
    if let variable = invocation[.clientSecretEnvironment] {
      line = "printenv \(ShellWord.quoted(variable)) | \(line) --client-secret-file -"
    }
    if isGiven([Option.qrCode.declaration, Option.qr.declaration]) {
      line = "\(QRCodeChoice.variable)=\(QRCodeChoice.always.rawValue) \(line)"
    }
    commands.insert(line, at: server == nil ? 0 : commands.count)
    if isGiven([Option.use.declaration]) { commands.append("agent use \(ShellWord.quoted(account))") }
    return commands
  }

  private func isGiven(_ options: [OptionDeclaration]) -> Bool {
    occurrences.contains { given in options.contains { $0.name == given.option.name } }
  }

  private func command(_ words: [String], _ isWanted: (OptionDeclaration) -> Bool) -> String {
    let options = invocation.given.filter { isWanted($0.option) }.flatMap { option, text in
      ["--\(option.name)"] + (option.argument.metavar == nil ? [] : [text])
    }
    return (["agent"] + words + options).map(ShellWord.quoted).joined(separator: " ")
  }

  /// The account's name, whether it can be added before the sign-in, and options for its server: empty if the server is
  /// known, nil if only the sign-in can find it.
  private func account(_ text: String?, _ client: DaemonClient) -> (name: String, isNew: Bool, server: [String]?)? {
    let known = ((try? client.ask(.state(.list)))?["accounts"]?.array ?? []).compactMap { $0[.name]?.string }
    guard let text else {
      return (try? client.ask(.account(.show(account: nil))))?["account"]?.string.map { ($0, false, []) }
    }
    if known.contains(where: { $0.hasSameBytes(as: text) }) { return (text, false, []) }
    let isNamed = invocation[.issuer] != nil || invocation.has(AccountSetting.table.provider.declaration)
    if isNamed || ProviderName(known: text) != nil { return (text, true, []) }
    guard text.utf8.contains(UInt8(ascii: ".")) else { return (text, false, nil) }
    let url = text.utf8.contains(UInt8(ascii: ":")) ? text : "https://\(text)"
    return ((try? URI(url))?.host ?? text, true, ["--issuer", url])
  }
}
