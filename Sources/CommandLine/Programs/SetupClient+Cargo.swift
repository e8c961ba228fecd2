internal import Wire

extension SetupClient {
  static let cargo = SetupClient(
    name: "cargo", choices: [.account, .name],
    overridingVariables: ["CARGO_REGISTRY_CREDENTIAL_PROVIDER", "CARGO_REGISTRY_TOKEN"],
    overridingVariableAffixes: [("CARGO_REGISTRIES_", "_TOKEN"), ("CARGO_REGISTRIES_", "_CREDENTIAL_PROVIDER")],
    plan: cargoPlan,
    trial: { (context) throws(Failure) in
      try SetupTrial(context.program, context.helperArguments(.cargo, ["--url", context.url]))
    })

  private static func cargoPlan(_ context: SetupContext) throws(Failure) -> SetupPlan {
    let index = "sparse+\(context.url)/"
    let provider = ([context.program] + context.helperArguments(.cargo)).map { "\"\($0)\"" }.joined(separator: ", ")
    let key = "credential-provider = [\(provider)]"
    let isNamed = context.entryName != nil
    var file = try cargoFile(context.files)
    // cargo rejects two names for one index, and the project may define the second.
    let other =
      isNamed
      ? nil
      : CargoFile.all(from: context.files.workingDirectory(), own: file.directory).lazy
        .compactMap { $0.text.registry(index: index) }.first { SetupContext.isEntryName($0.name) }
    let name = try context.entryName(else: other?.name ?? context.hostWord)
    let table = ["[registries.\(name)]", "index = \"\(index)\"", key]
    // cargo prefers the older name.
    let older = try context.files.file("CARGO_HOME", "config", else: ".cargo/")
    if try older.read() != nil { file = older }
    return SetupPlan(
      file: file, text: table,
      change: .lines { (old) throws(Failure) in
        let old = ConfigurationText(old.bytes, isTOML: true)
        if old.hasLongStrings || old.hasInlineRegistries { return .refused }
        let known = isNamed ? nil : old.registry(index: index)?.header
        guard let header = known ?? old.header("registries.\(name)") else {
          return old.adding(table, named: "cargo \(context.url)", at: .end)
        }
        let section = old.section(header)
        if old.value("credential-provider", in: section) != nil { return .exists("credential-provider") }
        guard old.value("index", in: section).map({ CargoFile.isSame($0, index) }) ?? (other != nil) else {
          return .exists("registries.\(name)")
        }
        return old.adding([key], named: "cargo \(context.url)", at: .after(line: header))
      }, keys: [key])
  }

  static func cargoFile(_ files: UserFiles) throws(Failure) -> SetupFile {
    try files.file("CARGO_HOME", "config.toml", else: ".cargo/")
  }
}

extension ConfigurationText {
  fileprivate var hasInlineRegistries: Bool {
    header("registries") != nil
      || section(nil).contains { line in
        let text = unquotedLine(line).utf8
        return text.starts(with: "registries.".utf8) || text.starts(with: "registries=".utf8)
      }
  }
}
