internal import Wire

extension SetupClient {
  static let pip = SetupClient(
    name: "pip", executables: ["pip", "pip3"], hasSingleSetting: true, choices: .user,
    link: { _ in HelperProtocolName.keyringProgram },
    minimumVersion: ClientVersion(
      arguments: ["--version"], outputPrefix: "pip ", major: 23, minor: 1,
      consequence: { Phrase("it does not know the option keyring-provider") }),
    overridingVariables: ["PIP_CONFIG_FILE", "PIP_INDEX_URL", "PIP_KEYRING_PROVIDER"],
    plan: { (context) throws(Failure) in
      let key = "keyring-provider = subprocess"
      return SetupPlan(
        file: try settingsFile("pip", "PIP_CONFIG_FILE", "pip/pip.conf", context.files), text: ["[global]", key],
        change: .lines { (old) throws(Failure) in
          guard let header = old.header("global") else {
            return old.adding(["[global]", key], named: "pip", at: .end)
          }
          let section = old.section(header)
          // After a key with less indentation, the other lines would continue its value.
          let indentation = old.firstKey(in: section).map(old.indentation) ?? ""
          return keyringProvider(of: old, section)
            ?? old.adding([indentation + key], named: "pip", at: .after(line: header))
        }, keys: [key],
        notes: [
          Phrase("older versions of pip ask only if the index URL has a user name: https://oauth2@HOST/simple/")
        ])
    }, trial: keyringTrial)

  static let uv = SetupClient(
    name: "uv", hasSingleSetting: true, choices: .user, link: { _ in HelperProtocolName.keyringProgram },
    overridingVariables: ["UV_CONFIG_FILE", "UV_KEYRING_PROVIDER"], overridingVariableAffixes: [("UV_INDEX_", "")],
    plan: { (context) throws(Failure) in
      let key = "keyring-provider = \"subprocess\""
      return SetupPlan(
        file: try settingsFile("uv", "UV_CONFIG_FILE", "uv/uv.toml", context.files), text: [key],
        change: .lines { (old) throws(Failure) in
          let old = ConfigurationText(old.bytes, isTOML: true)
          if old.hasLongStrings { return .refused }
          return keyringProvider(of: old, old.section(nil)) ?? old.adding([key], named: "uv", at: .start)
        }, keys: [key],
        notes: [Phrase("uv asks only if the index URL has a user name: https://oauth2@HOST/simple/")])
    }, trial: keyringTrial)

  /// The file that `variable` names, or else `name` in the configuration directory.
  private static func settingsFile(
    _ client: String, _ variable: String, _ name: String, _ files: UserFiles
  ) throws(Failure) -> SetupFile {
    guard let path = files.nonEmptyValue(variable) else { return try files.configuration(name) }
    guard path != "/dev/null" else { throw disabledFileFailure(client, variable, path) }
    return try SetupFile(path)
  }

  /// ``Insertion/present`` or ``Insertion/exists(_:)`` if the section sets `keyring-provider`; otherwise nil.
  private static func keyringProvider(of text: ConfigurationText, _ section: Range<Int>) -> Insertion? {
    text.value("keyring-provider", in: section).map {
      $0 == "subprocess" ? .present : .exists("keyring-provider")
    }
  }

  private static func keyringTrial(_ context: SetupContext) throws(Failure) -> SetupTrial {
    try SetupTrial(
      link: HelperProtocolName.keyringProgram, context,
      ["get", context.url, context.user ?? context.listed?.user ?? "oauth2"])
  }
}
