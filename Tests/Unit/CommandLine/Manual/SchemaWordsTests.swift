import TestSupport
import Testing
import Vocabulary
import Wire

@testable import CommandLine

/// The rows of responses and the schema of the JSON output have the same members.
@Suite struct `The schema's members` {
  @Test(arguments: Main.commands.all.filter { !$0.answer.isEmpty }.map(\.name.rawValue))
  func `are those that the answer of the command declares`(command: String) throws {
    let schema = try JSONSchema(parsing: Array(PackageFiles.text("Tests/Tools/Schema/agent.schema.json").utf8))
    let answer = try #require(Main.commands.all.first { $0.name.rawValue == command }).answer
    let rows = answer.flatMap { row in Self.all(row) }
    // Members of an object without rows, such as an error object, are defined separately.
    let closed = rows.filter { row in row.members.isEmpty && (row.type == "object" || row.type == "list of objects") }
    let paths = schema.paths(of: command).filter { path in
      !closed.contains { path.hasPrefix($0.name + ".") || path.hasPrefix($0.name + "[].") }
    }
    #expect(Set(rows.map(\.name)) == paths)
  }

  @Test func `of an account and its settings are written by generate`() throws {
    let text = try PackageFiles.text("Tests/Tools/Schema/agent.schema.json")
    #expect(Generator.schema(text) == text)
    for definition in AccountMember.schemas { #expect(text.contains(definition.text)) }
  }

  /// A row and those of its members, including those that the manual describes elsewhere.
  private static func all(_ row: MemberDescription, in prefix: String = "") -> [MemberDescription] {
    [MemberDescription(prefix + row.name, row.type, row.meaning, members: row.members)]
      + row.members.flatMap { all($0, in: prefix + row.name + (row.isList ? "[]." : ".")) }
  }
}

/// The schema of the JSON output contains words that the source has as closed sets.
@Suite struct `The schema's words` {
  private static func schema() throws -> JSONSchema {
    try JSONSchema(parsing: Array(PackageFiles.text("Tests/Tools/Schema/agent.schema.json").utf8))
  }

  @Test func `for failures are all codes`() throws {
    #expect(try Self.schema().words(of: "failure_code") == Set(FailureCode.allCases.map(\.rawValue)))
  }

  @Test func `for tokens that do not hold are all codes`() throws {
    #expect(try Self.schema().words(of: "token_problem") == Set(TokenProblemCode.allCases.map(\.rawValue)))
  }

  @Test func `for the log are all that it can tell`() throws {
    let words = try Self.schema().words(of: "daemon log")
    #expect(words.isSuperset(of: LogEvent.SignOut.allCases.map(\.rawValue)))
    #expect(words.isSuperset(of: LogEvent.SettingsChange.allCases.map(\.rawValue)))
    #expect(words.isSuperset(of: LogEvent.PeerProblem.allCases.map(\.rawValue)))
    #expect(words.isSuperset(of: LogEvent.LockCause.allCases.map(\.rawValue)))
    #expect(words.isSuperset(of: LogEvent.VaultChange.allCases.map(\.rawValue)))
    #expect(words.isSuperset(of: CheckResult.allCases.map(\.rawValue)))
    #expect(words.isSuperset(of: EndpointRole.allCases.map(\.rawValue)))
    #expect(words.isSuperset(of: LogEvent.TokenFileChange.allCases.map(\.rawValue)))
    #expect(words.isSuperset(of: LogEvent.KeySetFlaw.allCases.map(\.rawValue)))
  }

  @Test func `for what happens to sessions are all that there is`() throws {
    let words = try Self.schema().words(of: "events")
    let causes = SessionEvent.SignOutCause.allCases.map(\.rawValue)
    let leases =
      ["lease_opened", "lease_used", "lease_token", "lease_refused", "lease_ended"]
      + LeaseEntry.Cause.allCases.map(\.rawValue)
    let problems = ConnectionProblem.allCases.map(\.rawValue)
    #expect(
      words
        == Set(
          SessionEventName.allCases.map(\.rawValue) + causes + problems + leases + FailureCode.allCases.map(\.rawValue))
    )
  }

  @Test(arguments: ["status", "list"]) func `for the state of a session are all that it can be in`(output: String)
    throws
  {
    #expect(try Self.schema().words(of: output).isSuperset(of: SessionState.allCases.map(\.rawValue)))
  }
}

@Suite struct `The words of the fuzzer` {
  @Test func `are all names of the protocol`() throws {
    let words = Set(try PackageFiles.text("Tests/Tools/Fuzz/words").split(separator: "\n").map(String.init))
    let requests = Request.declarations.flatMap { request -> [String] in
      let members = ManualList.members(of: request)
      return [request.properties.name] + members.own.map(\.name) + members.settings.map(\.name)
    }
    let events = Event.declarations.flatMap { event in [event.manualEntry.name] + event.memberDescriptions.map(\.name) }
    let sessions = SessionEventName.allCases.flatMap { name in
      [name.rawValue] + SessionEvent(name).memberDescriptions.map(\.name)
    }
    let leases = LeaseEntry.Kind.allCases.flatMap { kind in
      [kind.rawValue] + LeaseEntry(kind).memberDescriptions.map(\.name)
    }
    let names = Set(requests + RequestEnvelope.memberDescriptions.map(\.name) + events + sessions + leases)
    #expect(names.filter { !words.contains("\"\($0)\"") }.sorted() == [])
  }
}
