import Platform
import TestSupport
import Testing

@testable import CommandLine

/// How the installed shells treat variables that `--var` may set.
@Suite struct `Shells, asked about their own variables` {
  struct Program: Sendable, CustomTestStringConvertible {
    let name: String
    /// Prints the names of its variables.
    let listing: String
    /// Arguments for starting without the user's files.
    var plain: [String] = []

    var testDescription: String { name }
    var path: String? { Spawn.search(name) }
  }

  private static let programs: [Program] = [
    Program(name: "bash", listing: "compgen -v", plain: ["--norc", "--noprofile"]),
    Program(name: "dash", listing: "set | sed 's/=.*//'"),
    Program(
      name: "zsh", listing: "zmodload zsh/parameter zsh/zle zsh/mapfile; print -l ${(k)parameters}",
      plain: ["-f"]),
    Program(name: "fish", listing: "set -n", plain: ["--no-config"]),
    Program(name: "ksh", listing: "typeset | sed 's/.* //'"),
    Program(name: "mksh", listing: "typeset | sed 's/.* //'"),
    Program(name: "tcsh", listing: "set", plain: ["-f"]),
  ]

  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func run(
    _ program: Program, _ arguments: [String], _ variables: [String] = [], input: String = ""
  ) throws -> ProcessResult {
    try ProcessRunner.run(
      executable: try #require(program.path), arguments: program.plain + arguments,
      environment: ["PATH=/usr/bin:/bin", "HOME=\(directory.path)"] + variables, input: Array(input.utf8),
      directory: directory.path)
  }

  @Test(arguments: programs.filter { $0.path != nil }) func `have none that is accepted`(program: Program) throws {
    let result = try run(program, ["-c", program.listing])
    let names = result.outputText.split(separator: "\n").map { String($0.prefix { $0 != "\t" && $0 != " " }) }
    let own = names.filter { VariableName.isWellFormed($0[...].utf8) }
    #expect(own.count > 3, "\(result.errorText)")
    #expect(own.filter { !VariableName.isRefused($0) } == [])
  }
}
