internal import Wire

/// The generated lists of the manual, in mdoc(7) notation.
enum ManualList {
  /// The list for a marker such as `options login`; nil if unknown.
  static func text(_ marker: String, _ table: CommandTable) -> String? {
    let words = marker.split(separator: " ")
    let subject = words.dropFirst().joined(separator: " ")
    return switch words.first {
    case "commands": commands(table)
    case "options": options(of: subject, table)
    case "members": table.named(subject).map(members)
    case "settings": Mdoc.members(settings)
    case "session-events": sessionEvents
    case "providers": Provider.builtIn.map(text).joined()
    case "request-members": Mdoc.members(RequestEnvelope.memberDescriptions)
    case "requests": Request.declarations.map(text).joined()
    case "events":
      Event.declarations.map { event in
        Mdoc.heading(event.manualEntry.name) + Mdoc.paragraph(event.manualEntry.purpose)
          + Mdoc.members(event.memberDescriptions)
      }.joined()
    case "errors":
      Mdoc.members(FailureCode.allCases.map { MemberDescription($0.rawValue, "\($0.exitStatus.rawValue)", $0.meaning) })
    // The second word directly follows the value.
    case "value": words.dropFirst().first.flatMap(value).map { Mdoc.paragraph($0 + words.dropFirst(2).joined()) }
    default: nil
    }
  }

  /// A value within a sentence, in ``Prose`` notation; nil if unknown.
  private static func value(_ name: Substring) -> String? {
    switch name {
    case "line-bytes": "\(WireProtocol.maximumLineBytes)"
    case "line-seconds": "\(WireProtocol.requestLineSeconds)"
    case "protocol-version": "\(WireProtocol.version)"
    case "bound-settings": AccountSetting.all.filter(\.isSealed).map { "`\($0.name)`" }.joined(separator: ", ")
    case "session-states": Prose.words(SessionState.self)
    case "check-results": Prose.words(CheckResult.self)
    case "finding-levels": Prose.words(Finding.Level.self)
    case "finding-checks": Prose.words(Finding.Check.self)
    case "lease-causes": Prose.words(LeaseEntry.Cause.self)
    case "sign-outs": Prose.words(LogEvent.SignOut.self)
    case "settings-changes": Prose.words(LogEvent.SettingsChange.self)
    case "lock-causes": Prose.words(LogEvent.LockCause.self)
    case "protections": Prose.words(Protection.self)
    case "vault-changes": Prose.words(LogEvent.VaultChange.self)
    case "peer-problems": Prose.words(LogEvent.PeerProblem.self)
    case "token-file-changes": Prose.words(LogEvent.TokenFileChange.self)
    case "key-set-flaws": Prose.words(LogEvent.KeySetFlaw.self)
    case "connection-problems": Prose.words(ConnectionProblem.self)
    case "endpoint-roles": Prose.words(EndpointRole.self)
    case "helpers": Prose.words(HelperName.self)
    case let list: VariableName.lists[String(list)]?.map { "`\($0)`" }.joined(separator: ", ")
    }
  }

  // MARK: - Commands

  /// The commands with their own page.
  private static func commands(_ table: CommandTable) -> String {
    Topic.allCases.map { topic in
      Mdoc.list(
        table.firstWords(in: topic).map { word in
          ".It Cm \(Mdoc.escaped(word))\n" + Mdoc.paragraph(table.summary(ofFirstWord: word) + ".")
        }, as: "-tag -width completions -compact")
    }.joined(separator: ".Pp\n")
  }

  /// The options of a command, of a group, or of all commands; nil for other subjects.
  private static func options(of subject: String, _ table: CommandTable) -> String? {
    if subject.isEmpty { return list(Options.common) }
    guard let command = table.named(subject) else {
      let commands = table.all.filter { $0.name.page == "agent-\(subject)" }
      return commands.isEmpty ? nil : grouped(shared(by: commands))
    }
    let commands = table.all.filter { $0.name.page == command.name.page }
    let isEverySetting = command.options.count(where: \.isSetting) == AccountSetting.withOption.count
    if commands.count == 1 {
      let options = command.options.filter { !isEverySetting || !$0.isSetting || $0.group == .workload }
      return grouped(options) + (isEverySetting ? everySetting : "")
    }
    let shared = shared(by: commands)
    let options = command.options.filter { !$0.isSetting && !$0.isSame(asOneOf: shared) }
    let settings = command.options.filter(\.isSetting)
    return (options.isEmpty ? "" : list(options))
      + mention(command.options.filter { !$0.isSetting && $0.isSame(asOneOf: shared) }, "OPTIONS")
      + (isEverySetting ? everySetting : mention(settings, "agent-config(5)"))
  }

  private static let everySetting =
    ".Pp\n" + Mdoc.paragraph("Accepts each setting of an account as an option: see agent-config(5).")

  /// A sentence for options that another part of the manual describes.
  private static func mention(_ options: [OptionDeclaration], _ place: String) -> String {
    let names = options.map { "`--\($0.name)`" }.joined(separator: ", ")
    return options.isEmpty ? "" : ".Pp\n" + Mdoc.paragraph("Accepts \(names): see \(place).")
  }

  /// The options that several commands share, except settings. A page describes them once.
  private static func shared(by commands: [Command]) -> [OptionDeclaration] {
    var seen: [OptionDeclaration] = []
    var shared: [OptionDeclaration] = []
    for option in commands.flatMap(\.options) where !option.isSetting && !option.isSame(asOneOf: shared) {
      if option.isSame(asOneOf: seen) { shared.append(option) } else { seen.append(option) }
    }
    return shared
  }

  /// The options by group, with titles if there are several.
  private static func grouped(_ options: [OptionDeclaration]) -> String {
    let groups = Options.grouped(options)
    guard groups.count > 1 else { return list(options) }
    return groups.map { Mdoc.heading($0.group.rawValue) + list($0.options) }.joined()
  }

  private static func list(_ options: [OptionDeclaration]) -> String {
    Mdoc.list(
      options.map { option in
        let value = option.argument.metavar.map { " Ar \(Mdoc.argument($0))" } ?? ""
        let short = option.short.map { "Fl \($0)\(value) , " } ?? ""
        return ".It \(short)Fl \\-\(Mdoc.escaped(option.name))\(value)\n" + Mdoc.paragraph(option.sentence)
      }, as: "-tag -width Ds -compact")
  }

  /// The JSON members of a command's result.
  private static func members(of command: Command) -> String {
    Mdoc.paragraph("With `--json` prints an object with these members:")
      + Mdoc.members(command.answer.flatMap { $0.flattened() })
  }

  /// One paragraph per event with name, members and description, then one for the members.
  private static var sessionEvents: String {
    var meanings: [String] = []
    let lines = SessionEventName.allCases.map { name in
      let event = SessionEvent(name)
      let rows = event.memberDescriptions
      for row in rows where !meanings.contains(where: { $0.hasPrefix("`\"\(row.name)\"`") }) {
        meanings.append("`\"\(row.name)\"`: \(row.meaning)")
      }
      let names = rows.map { "`\"\($0.name)\"`" }.joined(separator: ", ")
      return "`\(name.rawValue)`\(names.isEmpty ? "" : " (\(names))"): \(event.meaning)"
    }
    return (lines + ["Members: \(meanings.joined(separator: " "))"]).map(Mdoc.paragraph).joined(separator: ".Pp\n")
  }
}

extension OptionDeclaration {
  /// Whether it is an account setting, described in agent-config(5).
  var isSetting: Bool { isSame(asOneOf: AccountSetting.withOption.map(\.declaration)) }

  /// Whether another option has the same name and description.
  fileprivate func isSame(asOneOf others: [OptionDeclaration]) -> Bool {
    others.contains { $0.name == name && $0.sentence == sentence }
  }
}

// MARK: - Settings and protocol

extension ManualList {
  static let settings = AccountSetting.all.map { setting in
    var sentences = [setting.kind == .flag ? "\(setting.summary); by default `false`." : setting.declaration.sentence]
    if !setting.details.isEmpty { sentences.append(setting.details) }
    if setting.appliesAtSignIn { sentences.append("Takes effect at the next sign-in.") }
    if setting.option != nil { sentences.append("Option `--\(setting.optionName)`.") }
    return MemberDescription(setting.name, MemberDescription(setting).type, sentences.joined(separator: " "))
  }

  private static func text(of request: Request) -> String {
    let (page, members) = (request.manualEntry, members(of: request))
    // A request with an issuer accepts all settings.
    let hasSettings = members.settings.contains(.issuer)
    let rows = members.own + (hasSettings ? [] : members.settings.map(MemberDescription.init))
    var text = Mdoc.heading(request.properties.name) + Mdoc.paragraph(page.purpose)
    if !rows.isEmpty { text += ".Pp\n" + Mdoc.paragraph("Members:") + Mdoc.members(rows) }
    if hasSettings { text += ".Pp\n" + Mdoc.paragraph("The settings of agent-config(5) are members too.") }
    if page.hasResult {
      let rows = page.result.flatMap { $0.flattened() }
      text += ".Pp\n" + Mdoc.paragraph(rows.isEmpty ? "The result is an empty object." : "Result:") + Mdoc.members(rows)
    }
    if let note = page.note { text += ".Pp\n" + Mdoc.paragraph(note) }
    return text
  }

  static func members(of request: Request) -> (own: [MemberDescription], settings: [AccountSetting]) {
    var members: (own: [MemberDescription], settings: [AccountSetting]) = ([], [])
    for entry in request.memberEntries {
      switch entry {
      case .member(let row): members.own.append(row)
      case .setting(let setting): members.settings.append(setting)
      }
    }
    return members
  }

  private static func text(of provider: Provider) -> String {
    let facts = ProviderFacts.facts(provider, \.english).map {
      ".It Sy \(Mdoc.argument($0.0))\n" + Mdoc.paragraph($0.1)
    }
    let quirks = ProviderFacts.quirks(provider).map { ".It Cm \(Mdoc.argument($0.0))\n" + Mdoc.paragraph($0.1) }
    let list = Mdoc.list(facts, as: "-tag -width Register -compact")
    let text = Mdoc.heading(provider.name.rawValue) + Mdoc.paragraph("\(provider.title).") + list
    guard !quirks.isEmpty else { return text }
    return text + ".Pp\n" + Mdoc.paragraph("Departures from the standards:")
      + Mdoc.list(quirks, as: "-tag -width Ds -compact")
  }
}
