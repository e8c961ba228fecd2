internal import Platform

/// The program `generate`, with which the developers of this package write `man/` anew.
package enum Generator {
  /// A file that is made from the command table.
  package struct GeneratedFile: Sendable {
    /// Relative to the top of the package.
    package let path: String
    package let content: String
  }

  /// All files, in their present form.
  package static var files: [GeneratedFile] {
    [GeneratedFile(path: "man/agent.1", content: ManualWriter.page())]
  }

  /// Writes all files below the directory that the command line names, and ends the process.
  package static func runAndExit() -> Never {
    let arguments = Swift.CommandLine.arguments.dropFirst()
    guard arguments.count == 1, let directory = arguments.first else {
      Console.tell("usage: generate DIRECTORY\n")
      Processes.exit(2)
    }
    for file in files {
      do throws(SystemError) {
        let target = try FileDescriptor(opening: "\(directory)/\(file.path)", for: .replacing)
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
