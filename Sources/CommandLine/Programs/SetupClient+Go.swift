internal import Platform
internal import Wire

extension SetupClient {
  static let go = SetupClient(
    name: "go", hasSingleSetting: true,
    minimumVersion: ClientVersion(
      arguments: ["version"], outputPrefix: "version go", major: 1, minor: 24,
      consequence: { Phrase("it does not know GOAUTH") }),
    overridingVariables: ["GOAUTH", "GOENV"], plan: goPlan,
    trial: { (context) throws(Failure) in try SetupTrial(context.program, context.helperArguments(.go)) })

  /// Puts this program first in `GOAUTH`: its output overrides an old password in `~/.netrc`, and is empty for unlisted
  /// URLs. Edits the file directly, because `go env -w` sorts and drops lines.
  private static func goPlan(_ context: SetupContext) throws(Failure) -> SetupPlan {
    guard let go = InstalledProgram("go") else { throw notFound("go") }
    let values = try go.settings(["env", "GOENV", "GOAUTH"]).split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false
    ).map { String(decoding: $0, as: UTF8.self) }
    guard values.count >= 2, !values[1].isEmpty else {
      throw Failure(.invalidConfiguration, "this version of go is older than 1.24 and has no GOAUTH")
    }
    guard !values[0].isEmpty, values[0] != "off" else { throw disabledFileFailure("go", "GOENV", "off") }
    let command = context.shellCommand(context.helperArguments(.go))
    let text = "GOAUTH=\(command); netrc"
    return SetupPlan(
      file: try SetupFile(values[0]), text: [text],
      change: .lines { (old) throws(Failure) in
        let lines = old.lines.indices.filter { old.bytes[old.lines[$0]].starts(with: "GOAUTH=".utf8) }
        guard let line = lines.first else { return old.adding([text], named: "go", at: .end) }
        let value = old.trimmedLine(line).utf8.dropFirst("GOAUTH=".utf8.count)
        if value.elementsEqual(text.utf8.dropFirst("GOAUTH=".utf8.count)) { return .present }
        guard lines.count == 1, !value.isEmpty, !value.elementsEqual("off".utf8) else { return .exists("GOAUTH") }
        if value.starts(with: (command + ";").utf8) { return .present }
        return old.adding("\(command); ", after: "GOAUTH=")
      }, keys: [text, "GOAUTH=\(command); "],
      notes: context.files.nonEmptyValue("GOAUTH") == nil
        ? [] : [Phrase("GOAUTH is set in this shell and overrides the file")],
      isAsked: { values[1].utf8.starts(with: (command + ";").utf8) })
  }
}
