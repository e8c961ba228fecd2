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
    case "members": table.named(subject).map { members(of: $0, table) }
    case "settings": Mdoc.members(settings)
    case "session-events": sessionEvents
    case "providers": Provider.builtIn.map(text).joined()
    case "quirks":
      Mdoc.list(
        Provider.Quirk.allCases.map {
          ".It Cm \(Mdoc.argument($0.rawValue))\n" + Mdoc.paragraph(ProviderFacts.meaning($0) + ".")
        },
        as: "-tag -width unannounced-device-endpoint -compact")
    case "request-members": Mdoc.members(RequestEnvelope.memberDescriptions)
    case "requests": requests(table)
    case "events": events
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
    case "bound-settings": names(AccountSetting.all.filter(\.isSealed).map(\.name))
    case "sign-in-settings": names(AccountSetting.all.filter(\.appliesAtSignIn).map(\.name))
    case "session-states": MemberDescriber.words(SessionState.self)
    case "check-results": MemberDescriber.words(CheckResult.self)
    case "finding-levels": MemberDescriber.words(Finding.Level.self)
    case "finding-checks": MemberDescriber.words(Finding.Check.self)
    case "lease-causes": MemberDescriber.words(LeaseEntry.Cause.self)
    case "sign-outs": MemberDescriber.words(LogEvent.SignOut.self)
    case "settings-changes": MemberDescriber.words(LogEvent.SettingsChange.self)
    case "lock-causes": MemberDescriber.words(LogEvent.LockCause.self)
    case "protections": MemberDescriber.words(Protection.self)
    case "vault-changes": MemberDescriber.words(LogEvent.VaultChange.self)
    case "peer-problems": MemberDescriber.words(LogEvent.PeerProblem.self)
    case "token-file-changes": MemberDescriber.words(LogEvent.TokenFileChange.self)
    case "key-set-flaws": MemberDescriber.words(LogEvent.KeySetFlaw.self)
    case "connection-problems": MemberDescriber.words(ConnectionProblem.self)
    case "endpoint-roles": MemberDescriber.words(EndpointRole.self)
    case "helpers": MemberDescriber.words(HelperName.self)
    case let list: VariableName.lists[String(list)]?.joined(separator: ", ")
    }
  }

  private static func names(_ words: [String]) -> String { words.map { "`\($0)`" }.joined(separator: ", ") }

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
      return commands.isEmpty ? nil : grouped(sharedOptions(by: commands))
    }
    let commands = table.all.filter { $0.name.page == command.name.page }
    let isEverySetting = command.options.count(where: \.isSetting) == AccountSetting.withOption.count
    if commands.count == 1 {
      let options = command.options.filter { !isEverySetting || !$0.isSetting || $0.group == .workload }
      var text = grouped(options.filter { home(of: $0, in: command, table) == nil })
      for home in homes {
        text += mention(
          options.filter { self.home(of: $0, in: command, table) == home }, "\(home.page)(\(home.section))")
      }
      return text + (isEverySetting ? everySetting : "")
    }
    let shared = sharedOptions(by: commands)
    let options = command.options.filter { !$0.isSetting && !$0.isSame(asOneOf: shared) }
    let settings = command.options.filter(\.isSetting)
    return (options.isEmpty ? "" : list(options))
      + mention(command.options.filter { !$0.isSetting && $0.isSame(asOneOf: shared) }, "OPTIONS")
      + (isEverySetting ? everySetting : mention(settings, "agent-config(5)"))
  }

  /// Commands whose pages describe options that others have too.
  private static let homes = [CommandName.token, .serve]

  /// The command whose page describes an option of `command`; nil if that is its own page.
  static func home(of option: OptionDeclaration, in command: Command, _ table: CommandTable) -> CommandName? {
    homes.prefix { $0 != command.name }.first { option.isSame(asOneOf: table.named($0).options) }
  }

  private static let everySetting =
    ".Pp\n" + Mdoc.paragraph("Accepts each setting of an account as an option: see agent-config(5).")

  /// A sentence for options that another part of the manual describes.
  private static func mention(_ options: [OptionDeclaration], _ section: String) -> String {
    let names = options.map { "`--\($0.name)`" }.joined(separator: ", ")
    return options.isEmpty ? "" : ".Pp\n" + Mdoc.paragraph("Accepts \(names): see \(section).")
  }

  /// The options that several commands share, except settings. A page describes them once.
  private static func sharedOptions(by commands: [Command]) -> [OptionDeclaration] {
    var seen: [OptionDeclaration] = []
    var shared: [OptionDeclaration] = []
    for option in commands.flatMap(\.options) where !option.isSetting && !option.isSame(asOneOf: shared) {
      if option.isSame(asOneOf: seen) { shared.append(option) } else { seen.append(option) }
    }
    return shared
  }

  /// The options by group, with titles if there are many.
  private static func grouped(_ options: [OptionDeclaration]) -> String {
    let groups = Options.grouped(options)
    guard options.count > 12 else { return list(groups.flatMap(\.options)) }
    return groups.map { Mdoc.heading($0.group.rawValue) + list($0.options) }.joined()
  }

  /// An option's description.
  static func sentence(_ option: OptionDeclaration) -> String {
    option.name == AccountSetting.provider.optionName ? "\(option.summary); see agent-providers(7)." : option.sentence
  }

  private static func list(_ options: [OptionDeclaration]) -> String {
    options.isEmpty
      ? ""
      : Mdoc.list(
        options.map { option in
          let value = option.argument.metavar.map { " Ar \(Mdoc.argument($0))" } ?? ""
          let short = option.short.map { "Fl \($0)\(value) , " } ?? ""
          return ".It \(short)Fl \\-\(Mdoc.escaped(option.name))\(value)\n" + Mdoc.paragraph(sentence(option))
        }, as: "-tag -width 20n -compact")
  }

  /// The JSON members of a command's result, except those of other commands of the page.
  private static func members(of command: Command, _ table: CommandTable) -> String {
    var known = KnownMembers()
    let others = table.all.prefix { $0.name != command.name }.filter { $0.name.page == command.name.page }
    for other in others + (command.name == .list ? [table.named(.status)] : []) {
      _ = known.list("", other.answer, in: "agent \(other.name)")
    }
    return known.list("With `--json`, the command prints an object with these members", command.answer, in: "")
  }

  /// The events with the names and meaning of their members.
  private static var sessionEvents: String {
    var meanings: [String] = []
    let items = SessionEventName.allCases.map { name in
      let event = SessionEvent(name)
      let rows = event.memberDescriptions
      for row in rows where !meanings.contains(where: { $0.hasPrefix("`\"\(row.name)\"`") }) {
        meanings.append("`\"\(row.name)\"`: \(row.meaning)")
      }
      let members = rows.isEmpty ? "" : " Has \(names(rows.map(\.name)))."
      return ".It Li \(name.rawValue)\n" + Mdoc.paragraph(event.meaning + members)
    }
    return Mdoc.list(items, as: "-tag -width Ds -compact")
      + Mdoc.paragraph("Members: \(meanings.joined(separator: " "))")
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
    var sentences = [setting.summary.replacing(each: "; see agent-config(5)", with: "") + "."]
    if case .choice(let words) = setting.kind, setting !== AccountSetting.provider {
      let first = AccountSetting.all.first { $0.kind == setting.kind } ?? setting
      sentences.append(first === setting ? "One of \(names(words))." : "The values are those of `\(first.name)`.")
    }
    if !setting.details.isEmpty { sentences.append(setting.details) }
    let name = setting.name.replacing(each: "_", with: "-")
    if setting.option != nil, setting.optionName != name { sentences.append("Option `--\(setting.optionName)`.") }
    return MemberDescription(setting.name, MemberDescription(setting).type, sentences.joined(separator: " "))
  }

  /// The requests. The pages of commands describe the results that they print.
  private static func requests(_ table: CommandTable) -> String {
    var (members, results) = (KnownMembers(), KnownMembers())
    return Request.declarations.map { request in
      let (page, own, name) = (request.manualEntry, Self.members(of: request), request.properties.name)
      // A request with an issuer accepts all settings.
      let hasSettings = own.settings.contains(.issuer)
      var text = Mdoc.heading(name) + Mdoc.paragraph(page.purpose)
      let rows = own.own + (hasSettings ? [] : own.settings.map(MemberDescription.init))
      text += members.list("Members", rows, in: name)
      if hasSettings { text += Mdoc.paragraph("The settings of agent-config(5) are members too.") }
      if let command = table.all.first(where: { page.result.count > 1 && $0.answer == page.result }) {
        let command = command.name
        text += Mdoc.paragraph(
          "Result: as `agent \(command) --json` prints it; see \(command.page)(\(command.section)).")
      } else {
        text += results.list("Result", page.result, in: name)
      }
      return text + (page.note.map(Mdoc.paragraph) ?? "")
    }.joined()
  }

  private static var events: String {
    var known = KnownMembers()
    return Event.declarations.map { event in
      Mdoc.heading(event.manualEntry.name) + Mdoc.paragraph(event.manualEntry.purpose)
        + known.list("Members", event.memberDescriptions, in: event.manualEntry.name)
    }.joined()
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
    var facts = ProviderFacts.facts(provider, \.english).filter { term, text in
      // The page says once how to sign in, and that the page of the registration ends sessions too.
      !["Sign in", "Self-hosted"].contains(term) && text != provider.registration?.page
    }
    let quirks = Dictionary(grouping: ProviderFacts.quirks(provider), by: \.url).sorted { $0.key < $1.key }
    facts += quirks.map { ("Departures", "\(names($0.value.map(\.quirk.rawValue))): \($0.key)") }
    let items = facts.map { ".It Sy \(Mdoc.argument($0.0))\n" + Mdoc.paragraph($0.1) }
    return Mdoc.heading(provider.name.rawValue) + Mdoc.paragraph("\(provider.title).")
      + Mdoc.list(items, as: "-tag -width \"Revoke access at\" -compact")
  }
}

/// The members that earlier lists of a page describe.
private struct KnownMembers {
  /// The subject of the first list with the member.
  private var subjects: [MemberDescription: String] = [:]

  /// A paragraph with the names of known members, and a list of the others; empty without members.
  mutating func list(_ title: String, _ rows: [MemberDescription], in subject: String) -> String {
    let rows = rows.flatMap { $0.flattened() }
    let new = rows.filter { subjects[$0] == nil }
    var groups: [(subject: String, names: [String])] = []
    for row in rows {
      guard let known = subjects[row] else { continue }
      if groups.last?.subject != known { groups.append((known, [])) }
      groups[groups.count - 1].names.append("`\(row.name)`")
    }
    for row in new { subjects[row] = subject }
    guard !rows.isEmpty else { return "" }
    var parts = groups.map { "\($0.names.joined(separator: ", ")) as for `\($0.subject)`" }
    // A single member needs no list.
    if new.count == 1 { parts.append("`\(new[0].name)` (\(new[0].type)): \(new[0].meaning)") }
    if new.count > 1, !parts.isEmpty { parts.append("and:") }
    let text = "\(title): \(parts.joined(separator: "; "))"
    return Mdoc.paragraph(new.isEmpty ? text + "." : text) + (new.count > 1 ? Mdoc.members(new) : "")
  }
}
