internal import Wire

/// Generated lists in mdoc(7) notation.
enum ManualList {
  /// The list for a marker such as `options login`, if known.
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
      Mdoc.table("Cm", Provider.Quirk.allCases.map { ($0.rawValue, ProviderFacts.meaning($0) + ".") })
    case "request-members": Mdoc.members(RequestEnvelope.memberDescriptions)
    case "requests": requests(table)
    case "events": events
    case "errors":
      Mdoc.table("Li", FailureCode.allCases.map { ($0.rawValue, "(\($0.exitStatus.rawValue)) \($0.meaning)") })
    // The word after the value's name directly follows the value.
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
    case "helpers": MemberDescriber.words(HelperProtocolName.self)
    case let list: VariableName.lists[String(list)]?.joined(separator: ", ")
    }
  }

  fileprivate static func names(_ words: [String]) -> String { words.map { "`\($0)`" }.joined(separator: ", ") }

  // MARK: - Commands

  /// One row per command or group.
  private static func commands(_ table: CommandTable) -> String {
    let topics = Topic.allCases.map { topic in
      table.firstWords(in: topic).map { ("\($0)", table.summary(ofFirstWord: $0) + ".") }
    }
    return Mdoc.table("Cm", Array(topics.joined(separator: [("", "")])))
  }

  /// Options of a command or group; the common ones if `subject` is empty; nil if unknown.
  private static func options(of subject: String, _ table: CommandTable) -> String? {
    if subject.isEmpty { return list(Options.common) }
    let command = table.named(subject)
    let page = command?.name.pageName ?? "agent-\(subject)"
    let commands = table.all.filter { $0.name.pageName == page }
    guard !commands.isEmpty else { return nil }
    let all: [OptionDeclaration] = commands.flatMap(\.options).reduce(into: []) { all, option in
      if !option.isSame(asOneOf: all) { all.append(option) }
    }
    // OPTIONS describes what several commands of a page accept, and refers to other pages.
    let own = (command?.options ?? all).filter { option in
      home(of: option, in: commands[0], table) == nil
        && (commands.count { option.isSame(asOneOf: $0.options) } > 1) == (command == nil)
        && (!option.isSetting || commands.count == 1 && (command?.name == .login || option.group == .workload))
    }
    guard command == nil || commands.count == 1 else { return list(own) }
    return grouped(own)
      + homes.map { home in
        let others = all.filter { self.home(of: $0, in: commands[0], table) == home }
        let names = names(others.map { "--\($0.name)" })
        return others.isEmpty
          ? "" : ".Pp\n" + Mdoc.paragraph("Accepts \(names): see \(home.pageName)(\(home.section)).")
      }.joined()
  }

  /// Commands whose pages describe shared options.
  private static let homes = [CommandName.token, .serve, .login, .unlock]

  /// The command whose page describes an option of `command`; nil for its own page.
  static func home(of option: OptionDeclaration, in command: Command, _ table: CommandTable) -> CommandName? {
    if option.isSetting { return nil }
    return homes.prefix { $0.pageName != command.name.pageName }.first {
      option.isSame(asOneOf: table.named($0).options)
    }
  }

  private static func grouped(_ options: [OptionDeclaration]) -> String {
    let groups = Options.grouped(options)
    guard options.count > 12 else { return list(groups.flatMap(\.options)) }
    return groups.map { Mdoc.heading($0.group.rawValue) + list($0.options) }.joined()
  }

  /// An option's description, without choices if there are many.
  static func sentence(_ option: OptionDeclaration) -> String {
    option.argument.words.count > 14 ? "\(option.summary)." : option.sentence
  }

  private static func list(_ options: [OptionDeclaration]) -> String {
    Mdoc.table(
      options.map { option in
        let value = option.argument.metavar.map { " Ar \(Mdoc.argument($0))" } ?? ""
        let short = option.short.map { "Fl \($0) , " } ?? ""
        return (
          "\(short)Fl \\-\(Mdoc.escaped(option.name))\(value)", HelpWriter.term(option, hasShort: false),
          sentence(option)
        )
      })
  }

  /// A result's JSON members, except those described earlier on the page.
  private static func members(of command: Command, _ table: CommandTable) -> String {
    var known = KnownMembers()
    let others = table.all.prefix { $0.name != command.name }.filter { $0.name.pageName == command.name.pageName }
    for other in others + (command.name == .list ? [table.named(.status)] : []) {
      _ = known.list("", other.answer, in: "agent \(other.name)")
    }
    return known.list("With `--json`, prints", command.answer, in: "")
  }

  private static var sessionEvents: String {
    var members: [MemberDescription] = []
    let items = SessionEventName.allCases.map { name in
      let event = SessionEvent(name)
      let rows = event.memberDescriptions
      for row in rows where !members.contains(where: { $0.name == row.name }) { members.append(row) }
      return (name.rawValue, (rows.isEmpty ? "" : "(\(names(rows.map(\.name)))) ") + event.meaning)
    }
    return Mdoc.table("Li", items) + ".Pp\nThe members in brackets:\n" + Mdoc.members(members)
  }
}

extension OptionDeclaration {
  /// Whether the option is an account setting (agent-config(5)).
  var isSetting: Bool { isSame(asOneOf: AccountSetting.withOption.map(\.declaration)) }

  fileprivate func isSame(asOneOf others: [OptionDeclaration]) -> Bool {
    others.contains { $0.name == name && $0.sentence == sentence }
  }
}

// MARK: - Settings and protocol

extension ManualList {
  static let settings = AccountSetting.all.map { setting in
    var sentences = [setting.summary.replacing(each: "; see agent-config(5)", with: "") + "."]
    if case .choice(let words) = setting.kind, setting !== AccountSetting.table.provider {
      let first = AccountSetting.all.first { $0.kind == setting.kind } ?? setting
      sentences.append(first === setting ? "One of \(names(words))." : "The values are those of `\(first.name)`.")
    }
    if !setting.details.isEmpty { sentences.append(setting.details) }
    let isNamed = setting.option != nil && setting.optionName != setting.name.replacing(each: "_", with: "-")
    let type = MemberDescription(setting).type + (isNamed ? ", `--\(setting.optionName)`" : "")
    return MemberDescription(setting.name, type, sentences.joined(separator: " "))
  }

  /// For results that a command prints, refers to the command's page.
  private static func requests(_ table: CommandTable) -> String {
    var (members, results) = (KnownMembers(), KnownMembers())
    return Request.declarations.map { request in
      let (page, own, name) = (request.manualEntry, Self.members(of: request), request.properties.name)
      // A request with an issuer accepts all settings.
      let hasSettings = own.settings.contains(AccountSetting.table.issuer)
      var text = Mdoc.heading(name) + Mdoc.paragraph(page.purpose)
      let rows = own.own + (hasSettings ? [] : own.settings.map(MemberDescription.init))
      text += members.list("Members", rows, in: name)
      if hasSettings { text += Mdoc.paragraph("The settings of agent-config(5) are members too.") }
      if let command = table.all.first(where: { page.result.count > 1 && $0.answer == page.result }) {
        let command = command.name
        text += Mdoc.paragraph(
          "Result: as `agent \(command) --json` prints it; see \(command.pageName)(\(command.section)).")
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

  private static func facts(of provider: Provider) -> [String] {
    var facts = ProviderFacts.facts(provider, \.english).filter { term, text in
      // The page has these facts elsewhere.
      !["Sign in", "Self-hosted"].contains(term) && text != provider.registration?.page
    }
    let quirks = Dictionary(grouping: ProviderFacts.quirks(provider), by: \.url).sorted { $0.key < $1.key }
    facts += quirks.map { ("Departures", "\(names($0.value.map(\.quirk.rawValue))) (\($0.key))") }
    return facts.map { "`\($0)`: \($1.hasSuffix(".") ? $1.dropLast() : $1[...])" }
  }

  private static func text(of provider: Provider) -> String {
    let earlier = Provider.builtIn.prefix { $0.name != provider.name }
    let facts = Self.facts(of: provider).map { fact in
      // Long facts that providers share appear once.
      let other = fact.count > 100 ? earlier.first { Self.facts(of: $0).contains(fact) } : nil
      return other.map { "\(fact.prefix { $0 != ":" }): as for `\($0.name.rawValue)`" } ?? fact
    }
    let notes = facts.filter { $0.hasPrefix("`Notes`") }.map { ". \($0)" }.joined()
    let text = facts.filter { !$0.hasPrefix("`Notes`") }.joined(separator: "; ") + notes + "."
    let (name, title) = (provider.name.rawValue, provider.title)
    return Mdoc.heading(name == title.lowercased() ? name : "\(name) (\(title))")
      + Mdoc.paragraph(text.replacing(each: ": By default ", with: ": "))
  }
}

/// The members that earlier lists of a page describe.
private struct KnownMembers {
  /// The first subject with the member.
  private var subjects: [MemberDescription: String] = [:]

  /// Refers to known members, and lists the others. Empty without members.
  mutating func list(_ title: String, _ rows: [MemberDescription], in subject: String) -> String {
    let rows = rows.flatMap { $0.flattened() }
    let new = rows.filter { subjects[$0] == nil }
    var groups: [(subject: String, names: [String])] = []
    for row in rows {
      guard let known = subjects[row] else { continue }
      if groups.last?.subject != known { groups.append((known, [])) }
      let last = groups.last?.names.last ?? ""
      if row.name.hasPrefix("\(last)[].") || row.name.hasPrefix("\(last).") { continue }
      groups[groups.count - 1].names.append(row.name)
    }
    for row in new { subjects[row] = subject }
    guard !rows.isEmpty else { return "" }
    var parts = groups.map { "\(ManualList.names($0.names)) as for `\($0.subject)`" }
    let texts = new.map { "`\($0.name)`\(Mdoc.type($0)): \($0.meaning.dropLast())" }
    let isShort =
      new.count < 2
      || texts.joined().count < 220 && new.allSatisfy { !$0.meaning.dropLast().contains { ".;".contains($0) } }
    if isShort { parts += texts }
    if !isShort, !parts.isEmpty { parts.append("and:") }
    let text = "\(title): \(parts.joined(separator: "; "))\(isShort ? "." : "")"
    return Mdoc.paragraph(text) + (isShort ? "" : Mdoc.members(new))
  }
}
