internal import Platform

/// The program `generate`, with which the developers of this package write `man/` and `completions/`
/// anew, and with which `make install` writes them for another name.
package enum Generator {
  /// A file that is made from the command table.
  package struct GeneratedFile: Sendable {
    /// Relative to the top of the package.
    package let path: String
    package let content: String
  }

  /// All files as they are committed.
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

  /// Writes all files below the directory that the command line names, and ends the process.
  package static func runAndExit() -> Never {
    ProcessHardening.occupyStandardDescriptors()
    let arguments = Array(Processes.arguments.dropFirst())
    guard (1...2).contains(arguments.count),
      let program = arguments.count == 2 ? ProgramName(arguments[1]) : .standard
    else {
      Console.tell("usage: generate DIRECTORY [NAME]\n")
      Processes.exit(2)
    }
    for file in files(for: program) {
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
