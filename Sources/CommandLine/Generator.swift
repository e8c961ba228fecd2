internal import Platform
internal import Wire

/// Writes completions, the lists in `man/`, help texts for translators and part of the JSON schema.
package enum Generator {
  package struct GeneratedFile: Sendable {
    /// Relative to the package's root.
    package let path: String
    package let content: String
  }

  /// The completions and pages of the package at `top`.
  static func files(in top: String) throws(PageError) -> [GeneratedFile] {
    let pages = try ManualPage.all.map { page throws(PageError) in
      GeneratedFile(path: page.path, content: try page.text(in: top, by: Main.commands))
    }
    let completions = CompletionShell.allCases.map { shell in
      let script = CompletionScript(shell)
      return GeneratedFile(path: "completions/\(script.fileName)", content: script.text)
    }
    return pages + completions
  }

  /// The texts for translators, one per line.
  static var helpTexts: GeneratedFile {
    let texts = HelpWriter.texts(of: Main.commands).sorted().map { Phrase(stringLiteral: $0).template + "\n" }
    let comment = "# Texts of the help. Written by `make generate` from the command table; do not edit.\n"
    return GeneratedFile(path: "share/po/help", content: comment + texts.joined())
  }

  private static let schemaPath = "Tests/Tools/Schema/agent.schema.json"

  /// Replaces the generated definitions in the JSON schema.
  package static func schema(_ text: String) -> String {
    let clients = SetupClient.names.map { "\"\($0)\"" }.joined(separator: ", ")
    let client = "    \"setup_client\": {\n      \"enum\": [\(clients)]\n    },\n"
    let settings = AccountSetting.all.map { "        \"\($0.name)\": \(MemberKind($0).schema)" }.joined(
      separator: ",\n")
    let account = """
          "account_settings": {
            "type": "object",
            "properties": {
      \(settings)
            },
            "required": ["issuer", "client_id"],
            "additionalProperties": false
          },

      """
    return (AccountMember.schemas + [("setup_client", client), ("account_settings", account)]).reduce(text) {
      text, definition in
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      guard let first = lines.firstIndex(where: { $0 == "    \"\(definition.name)\": {" }),
        let last = lines[first...].firstIndex(of: "    },")
      else { return text }
      return (lines[..<first].map { "\($0)\n" } + [definition.text] + [lines[(last + 1)...].joined(separator: "\n")])
        .joined()
    }
  }

  /// Runs `generate TOP`: updates the files in `TOP`.
  package static func runAndExit() -> Never {
    ProcessHardening.occupyStandardDescriptors()
    let arguments = Processes.arguments.dropFirst()
    guard let top = arguments.first, arguments.count == 1 else {
      Console.printToStandardError("usage: generate TOP\n")
      Processes.exit(2)
    }
    var path = schemaPath
    do {
      let schema = schema(
        String(decoding: try FileDescriptor.content(of: "\(top)/\(path)", limit: 1 << 20), as: UTF8.self))
      for file in try files(in: top) + [helpTexts, GeneratedFile(path: path, content: schema)] {
        path = file.path
        let target = try FileDescriptor(opening: "\(top)/\(path)", for: .replacing)
        try target.writeAll(Array(file.content.utf8).span)
        try target.close()
      }
      Processes.exit(0)
    } catch {
      let problem =
        (error as? PageError)?.text ?? (error as? SystemError).map { "\(path): \($0.message)" } ?? "\(error)"
      Console.printToStandardError("generate: error: \(problem)\n")
      Processes.exit(1)
    }
  }
}
