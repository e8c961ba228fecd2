internal import Platform
internal import Wire

/// The program `generate`. Developers write `man/`, `completions/` and a part of the schema of the JSON output with it,
/// and `make install` uses it for programs with other names.
package enum Generator {
  /// A file generated from the command table.
  package struct GeneratedFile: Sendable {
    /// Relative to the package's root.
    package let path: String
    package let content: String
  }

  /// All files as committed.
  package static var files: [GeneratedFile] { files(for: .standard) }

  /// All files for a program of this name.
  package static func files(for program: ProgramName) -> [GeneratedFile] {
    let pages = ManualPage.all.map { page in
      GeneratedFile(path: "man/\(page.fileName(for: program))", content: page.text(for: program))
    }
    let completions = CompletionShell.allCases.map { shell in
      let script = CompletionScript(shell, for: program)
      return GeneratedFile(path: "completions/\(script.fileName)", content: script.text)
    }
    return pages + completions
  }

  /// Missing in an installation.
  private static let schemaPath = "Tests/Schema/agent.schema.json"

  /// The schema of the JSON output, with the definitions generated from rows replaced.
  package static func schema(_ text: String) -> String {
    AccountMember.schemas.reduce(text) { text, definition in
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      guard let first = lines.firstIndex(where: { $0 == "    \"\(definition.name)\": {" }),
        let last = lines[first...].firstIndex(of: "    },")
      else { return text }
      return (lines[..<first].map { "\($0)\n" } + [definition.text] + [lines[(last + 1)...].joined(separator: "\n")])
        .joined()
    }
  }

  /// Writes all files below the directory on the command line, and ends the process.
  package static func runAndExit() -> Never {
    ProcessHardening.occupyStandardDescriptors()
    let arguments = Array(Processes.arguments.dropFirst())
    guard (1...2).contains(arguments.count),
      let program = arguments.count == 2 ? ProgramName(arguments[1]) : .standard
    else {
      Console.tell("usage: generate DIRECTORY [NAME]\n")
      Processes.exit(2)
    }
    var files = files(for: program)
    if let text = try? FileDescriptor(opening: "\(arguments[0])/\(schemaPath)", for: .reading).readToEnd(limit: 1 << 20)
    {
      files.append(GeneratedFile(path: schemaPath, content: schema(String(decoding: text, as: UTF8.self))))
    }
    for file in files {
      do throws(SystemError) {
        let target = try FileDescriptor(opening: "\(arguments[0])/\(file.path)", for: .replacing)
        try target.writeAll(Array(file.content.utf8).span)
        try target.close()
      } catch {
        Console.tell("generate: error: \(file.path): \(error.message)\n")
        Processes.exit(1)
      }
    }
    Processes.exit(0)
  }
}
