import Testing
import Wire

@testable import CommandLine

// gitcredentials(7), git-credential(1).
@Suite struct `A helper for git` {
  private static let question = "protocol=https\nhost=host.example\n"

  @Test func `answers with user name and password where git knows no more`() throws {
    let trial = HelperTrial(.git, "get", input: Self.question + "\n")
    #expect(try trial.place() == TokenRequest.Destination(url: "https://host.example"))
    #expect(try trial.answer() == "username=oauth2\npassword=T0k.en\npassword_expiry_utc=1800000000\n")
    let named = HelperTrial(.git, "get", input: Self.question + "username=me\npath=team/x.git\n\n")
    #expect(try named.place() == TokenRequest.Destination(url: "https://host.example/team/x.git", user: "me"))
    #expect(try named.answer(#""use":"access_token""#) == "username=me\npassword=T0k.en\n")
    #expect(try named.answer(#""use":"access_token","user":"bot""#) == "username=bot\npassword=T0k.en\n")
  }

  // A host with additional parts of a URL would be parsed differently.
  @Test(arguments: [
    "", "host.example/x", "host.example?x", "host.example#x", "me@host.example", "host.example#@evil.example",
    "host.example\\@evil.example", "host.example x", "host.example\t", ":443", "/", "host\u{1}.example",
  ])
  func `answers nothing for what is not a host`(host: String) throws {
    for operation in ["get", "erase"] {
      #expect(try HelperTrial(.git, operation, input: "protocol=https\nhost=\(host)\npassword=x\n\n").text() == "")
    }
    for host in ["host.example:8443", "[::1]:8443"] {
      #expect(try HelperTrial(.git, "get", input: "protocol=https\nhost=\(host)\n\n").place()?.url == "https://\(host)")
    }
  }

  @Test func `obeys the user name of the command line`() throws {
    let trial = HelperTrial(.git, "get", input: Self.question + "username=me\n\n", user: "bot")
    #expect(try trial.place()?.user == "bot")
    #expect(try trial.answer(#""use":"access_token""#) == "username=bot\npassword=T0k.en\n")
    let header = HelperTrial(.git, "get", input: "capability[]=authtype\n" + Self.question, user: "bot")
    #expect(try header.answer()?.contains("username=bot\n") == true)
  }

  // git decodes the path of the URL before asking; gitcredentials(7).
  @Test(arguments: [
    ("team/My Project/_git/repo", "team/My%20Project/_git/repo"), ("teäm/x+y@z:1", "te%C3%A4m/x+y@z:1"),
    ("a%20b?c#d", "a%2520b%3Fc%23d"), ("a/../b c", "a/../b c"), ("a/%2E%2e/b", "a/%2E%2e/b"),
  ])
  func `asks by the path as the URL has it, and encodes no dot segment`(path: String, expected: String) throws {
    for operation in ["get", "erase"] {
      let trial = HelperTrial(.git, operation, input: Self.question + "password=T0k.en\npath=\(path)\n")
      var url = try trial.place()?.url
      if case .erase(let erased, _) = try trial.helper.request(trial.call) { url = erased }
      #expect(url == "https://host.example/\(expected)")
    }
  }

  // git-credential(1): an empty value of a list removes the previous ones.
  @Test func `takes no part of a list that was taken away`() throws {
    let asked = "capability[]=authtype\nwwwauth[]=Bearer\n"
    #expect(
      try HelperTrial(.git, "get", input: Self.question + asked + "wwwauth[]=\nwwwauth[]=Basic\n").answer()?
        .contains("password=T0k.en") == true)
    #expect(
      try HelperTrial(.git, "get", input: Self.question + "wwwauth[]=Basic\nwwwauth[]=\n" + asked).answer()?
        .contains("authtype=Bearer") == true)
    #expect(
      try HelperTrial(.git, "get", input: Self.question + asked + "capability[]=\n").answer()?
        .contains("password=T0k.en") == true)
  }

  @Test(arguments: ["", "wwwauth[]=Bearer realm=\"x\"\nwwwauth[]=Basic\n", "wwwauth[]=bearer\n"])
  func `answers with a header where git takes one and the server wants one`(challenges: String) throws {
    let trial = HelperTrial(
      .git, "get", input: "capability[]=authtype\ncapability[]=state\n" + Self.question + challenges)
    #expect(
      try trial.answer()
        == "capability[]=authtype\nauthtype=Bearer\ncredential=T0k.en\nephemeral=1\npassword_expiry_utc=1800000000\n")
    let form = #""use":"access_token","header":"token""#
    #expect(try trial.answer(form) == "capability[]=authtype\nauthtype=token\ncredential=T0k.en\nephemeral=1\n")
  }

  @Test func `answers with a password where the server or the settings want Basic`() throws {
    let input = "capability[]=authtype\n" + Self.question
    let server = HelperTrial(.git, "get", input: input + "wwwauth[]=Basic realm=\"GitHub\"\n")
    #expect(try server.answer(#""use":"access_token""#) == "username=oauth2\npassword=T0k.en\n")
    let settings = HelperTrial(.git, "get", input: input)
    #expect(
      try settings.answer(#""use":"access_token","header":"Basic""#) == "username=oauth2\npassword=T0k.en\n")
  }

  @Test(arguments: [
    "protocol=https\nhost=a\r\n", "protocol=https\nhost=a\0b\n", "protocol=https\nhost\n", "=\nprotocol",
  ])
  func `refuses what git never writes`(input: String) {
    for operation in ["get", "erase"] {
      #expect(throws: Failure.self) { try HelperTrial(.git, operation, input: input).place() }
    }
  }

  @Test func `refuses a line that is longer than git's`() throws {
    let host = String(repeating: "a", count: 65_530)
    #expect(try HelperTrial(.git, "get", input: "protocol=https\nhost=\(host)\n").place() != nil)
    #expect(throws: Failure.self) { try HelperTrial(.git, "get", input: "protocol=https\nhost=a\(host)\n").place() }
  }

  @Test(arguments: ["", "\n", "host=a\n", "protocol=https\n", "protocol=ssh\nhost=a\n", "protocol=https\nhost=\n"])
  func `has nothing for what is not on the web`(input: String) throws {
    #expect(try HelperTrial(.git, "get", input: input).text() == "")
  }

  @Test func `reads no further than the empty line, and not at all where git writes nothing`() throws {
    let trial = HelperTrial(.git, "get", input: Self.question + "\nhost=evil.example\n")
    #expect(try trial.place()?.url == "https://host.example")
    for (arguments, reads) in [
      (["get"], true), (["store"], true), (["erase"], true), (["capability"], false), (["x"], false), ([], false),
    ] {
      if case .paragraph = HelperCommand.helper(.git).input(arguments) { #expect(reads) } else { #expect(!reads) }
    }
  }

  @Test func `says what it can, and nothing to words that it does not know`() throws {
    #expect(try HelperTrial(.git, "capability").text() == "version 0\ncapability authtype\n")
    for word in ["store", "approve", ""] { #expect(try HelperTrial(.git, word, input: Self.question).text() == "") }
    #expect(try HelperTrial(.git).text() == "")
  }

  @Test(arguments: ["password", "credential"]) func `names the token that is to be forgotten`(member: String) throws {
    let trial = HelperTrial(.git, "erase", input: Self.question + "\(member)=T0k.en\n")
    guard case .erase(let url, let secret) = try trial.helper.request(trial.call) else {
      Issue.record("nothing is erased")
      return
    }
    #expect(url == "https://host.example" && secret == Array("T0k.en".utf8))
    #expect(try HelperTrial(.git, "erase", input: Self.question).text() == "")
  }

  @Test func `has git give up where a listed host has no session, and go on where none is listed`() {
    let trial = HelperTrial(.git, "get", input: Self.question)
    for code in [FailureCode.signedOut, .sessionExpired, .interactionRequired] {
      #expect(trial.failureOutput(code) == HelperFailureOutput(output: "quit=1\n"))
    }
    #expect(trial.failureOutput(.originNotListed) == HelperFailureOutput(isSilent: true, status: 0))
  }

  @Test(arguments: [
    FailureCode.invalidConfiguration, .storage, .timeout, .daemonUnavailable, .tooBusy, .vaultUnusable, .noAccount,
    .locked, .network, .tokenNotBound, .invalidRequest,
  ]) func `leaves git to the next helper after another failure`(code: FailureCode) {
    #expect(HelperTrial(.git, "get", input: Self.question).failureOutput(code) == HelperFailureOutput())
    #expect(HelperTrial(.git, "get", input: "host=\r\n").failureOutput(.invalidRequest) == HelperFailureOutput())
  }
}
