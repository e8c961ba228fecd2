internal import Platform
internal import Wire

/// Writes completions, the lists in `man/`, help texts for translators and part of the JSON schema. `make install` uses
/// it for programs with other names.
package enum Generator {
  /// A generated file, or one with generated parts.
  package struct GeneratedFile: Sendable {
    /// The path relative to the package's root.
    package let path: String
    package let content: String
  }

  /// The completions and pages for a program name.
  ///
  /// - Parameter top: The package's root.
  static func files(for program: ProgramName = .standard, in top: String) throws(PageError) -> [GeneratedFile] {
    let pages = try ManualPage.all.map { page throws(PageError) in
      GeneratedFile(path: page.path(for: program), content: try page.text(in: top, by: Main.commands, for: program))
    }
    let completions = CompletionShell.allCases.map { shell in
      let script = CompletionScript(shell, for: program)
      return GeneratedFile(path: "completions/\(script.fileName)", content: script.text)
    }
    return pages + completions
  }

  /// The help texts for translators, one per line.
  static var helpTexts: GeneratedFile {
    let texts = HelpWriter.texts(of: Main.commands).sorted().map { Phrase(stringLiteral: $0).template + "\n" }
    let comment = "# Texts of the help. Written by `make generate` from the command table; do not edit.\n"
    return GeneratedFile(path: "share/po/help", content: comment + texts.joined())
  }

  /// The path of the schema, which does not exist in an installation.
  private static let schemaPath = "Tests/Tools/Schema/agent.schema.json"

  /// Replaces the generated definitions in the text of the JSON schema.
  package static func schema(_ text: String) -> String {
    let clients = SetupClient.names.map { "\"\($0)\"" }.joined(separator: ", ")
    let client = "    \"setup_client\": {\n      \"enum\": [\(clients)]\n    },\n"
    return (AccountMember.schemas + [("setup_client", client)]).reduce(text) { text, definition in
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      guard let first = lines.firstIndex(where: { $0 == "    \"\(definition.name)\": {" }),
        let last = lines[first...].firstIndex(of: "    },")
      else { return text }
      return (lines[..<first].map { "\($0)\n" } + [definition.text] + [lines[(last + 1)...].joined(separator: "\n")])
        .joined()
    }
  }

  /// Runs `generate TOP [NAME DIRECTORY]`: updates the files in `TOP`, or writes a program `NAME`'s files to
  /// `DIRECTORY`.
  package static func runAndExit() -> Never {
    ProcessHardening.occupyStandardDescriptors()
    let arguments = Array(Processes.arguments.dropFirst())
    guard [1, 3].contains(arguments.count),
      let program = arguments.count == 3 ? ProgramName(arguments[1]) : .standard
    else {
      Console.printToStandardError("usage: generate TOP [NAME DIRECTORY]\n")
      Processes.exit(2)
    }
    let (top, directory) = (arguments[0], arguments[arguments.count - 1])
    var files: [GeneratedFile] = []
    do throws(PageError) { files = try Self.files(for: program, in: top) } catch {
      Console.printToStandardError("generate: error: \(error.text)\n")
      Processes.exit(1)
    }
    if let text = try? FileDescriptor.content(of: "\(directory)/\(schemaPath)", limit: 1 << 20) {
      files.append(GeneratedFile(path: schemaPath, content: schema(String(decoding: text, as: UTF8.self))))
    }
    if arguments.count == 1 { files.append(helpTexts) }
    for file in files {
      do throws(SystemError) {
        let target = try FileDescriptor(opening: "\(directory)/\(file.path)", for: .replacing)
        try target.writeAll(Array(file.content.utf8).span)
        try target.close()
      } catch {
        Console.printToStandardError("generate: error: \(file.path): \(error.message)\n")
        Processes.exit(1)
      }
    }
    Processes.exit(0)
  }
}
