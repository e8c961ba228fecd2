import TestSupport
import Testing
import Vocabulary
import Wire

/// The schema of the JSON output names words that the source has as closed sets.
@Suite struct `The schema's words` {
  private static func schema() throws -> JSONSchema {
    try JSONSchema(parsing: Array(PackageFiles.text("Tests/Schema/agent.schema.json").utf8))
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

  @Test func `for services are all that a sign-in may name`() throws {
    #expect(try Self.schema().words(of: "account show").isSuperset(of: ProviderName.allCases.map(\.rawValue)))
  }
}
