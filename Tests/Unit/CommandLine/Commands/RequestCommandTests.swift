import Testing
import Wire

@testable import CommandLine

@Suite struct `The command line of a request` {
  private func data(_ given: [String]) throws -> String? {
    try RequestCommand.data(
      try Parser.parse(["request", "https://api.example/"] + given.flatMap { ["--data", $0] })[.data])
  }

  @Test func `has the parts of a form one by one, or one text or file`() throws {
    #expect(try data([]) == nil)
    #expect(try data(["a=1"]) == "a=1")
    #expect(try data(["@file"]) == "@file")
    #expect(try data(["a=1", "b=2", "c=@"]) == "a=1&b=2&c=@")
    for mixed in [["a=1", "@file"], ["@one", "@two"], ["@-", "a"]] {
      let failure = #expect(throws: Failure.self) { try data(mixed) }
      #expect(failure?.code == .invalidRequest, "\(mixed)")
    }
  }

  private func hint(_ line: [String]) throws -> String? {
    let invocation = try Parser.parse(line)
    return #expect(throws: Failure.self) { try invocation.methodAndURL() }?.hint
  }

  @Test func `with the method behind the URL, or in small letters, is given back as it was meant`() throws {
    let url = "https://api.example/x"
    let options = ["-d", "a=1", "-H", "X: y"]
    let meant = "agent request POST https://api.example/x --data 'a=1' --header 'X: y'"
    #expect(try hint(["request", url, "POST"] + options) == meant)
    #expect(try hint(["request", "post", url] + options) == meant)
    #expect(try hint(["request", url, "post"] + options) == meant)
    #expect(try hint(["proof", url, "GET"]) == "agent proof GET https://api.example/x")
  }

  @Test func `takes the first word for an account only if it can be one`() throws {
    let url = "https://api.example/x"
    #expect(
      try hint(["request", "work", url, "-d", "a"]) == "agent request https://api.example/x --data a --account work")
    #expect(try hint(["request", "work", url, "--account", "play"]) == "agent help request")
    #expect(try hint(["request", "https://one.example/", url]) == "agent help request")
  }
}
