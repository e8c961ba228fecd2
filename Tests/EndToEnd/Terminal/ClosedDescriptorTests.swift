import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `With closed standard descriptors` {
  static let closings = ["<&-", ">&-", "2>&-", "<&- >&-", "<&- 2>&-", ">&- 2>&-", "<&- >&- 2>&-"]

  static let printing = [
    "token work", "token work --json", "token", "token work --header", "env work", "exec work --dry-run", "list",
    "status --json", "whoami work", "decode", "help", "--version", "daemon log", "completions bash",
    "request -i http://127.0.0.1:9/",
  ]

  @Test(arguments: closings) func `a command that prints succeeds only if its answer was written`(closing: String)
    throws
  {
    try Session.with { session in
      for command in Self.printing {
        let result = try session.tree.shell("dash", "agent \(command) \(closing)")
        if closing.contains(">&-") && closing != "2>&-" && !closing.hasPrefix("<&- 2") {
          #expect(!result.succeeded, "agent \(command) \(closing)")
          #expect(result.outputText == "", "agent \(command) \(closing)")
          if !closing.contains("2>&-") {
            let beginning = command.contains("--json") ? "{\"error\":" : "agent: error: "
            #expect(result.errorText.hasPrefix(beginning), "agent \(command) \(closing): \(result.errorText)")
          }
        } else if command.hasPrefix("token") {
          #expect(result.succeeded && !result.output.isEmpty, "agent \(command) \(closing): \(result.errorText)")
        }
      }
      #expect(try session.tree.token().count > 10, "the daemon still serves")
    }
  }

  @Test(arguments: closings) func `a file that is written gets the answer and no message`(closing: String) throws {
    try Resource.answering({ _ in (200, [], "the body") }) { resource in
      let file = resource.tree.path("home/answer")
      for options in ["", "-v", "-i"] {
        let result = try resource.tree.shell(
          "dash", "agent request \(options) -o '\(file)' \(resource.server.url("/x")) \(closing)")
        #expect(result.succeeded, "\(options) \(closing): \(result.errorText)")
        let written = try FileDescriptor(opening: file, for: .reading).readToEnd(limit: 1 << 20)
        let content = String(decoding: written, as: UTF8.self)
        #expect(options == "-i" ? content.hasSuffix("\r\n\r\nthe body") : content == "the body", "\(closing)")
      }
      let failed = try resource.tree.shell(
        "dash", "agent request -v -o '\(file)' http://127.0.0.1:1/x \(closing); cat '\(file)'")
      #expect(failed.outputText.hasSuffix("the body"), "a call that failed leaves the file as it was")
    }
  }

  @Test(arguments: closings) func `the daemon's program starts all the same`(closing: String) throws {
    try AgentTree.with { tree in
      let script = "'\(try Programs.path("agentd"))' --no-such-option \(closing); echo status $?"
      #expect(try tree.shell("dash", script).outputText == "status 2\n")
    }
  }

  @Test func `a name of the closed standard output leads to nothing that can be written`() throws {
    try Resource.answering({ _ in (200, [], "the body") }) { resource in
      let result = try resource.tree.shell(
        "dash", "agent request -o /dev/stdout \(resource.server.url("/x")) >&-")
      #expect(!result.succeeded && result.errorText.contains("\"/dev/stdout\""), "\(result.errorText)")
    }
  }
}
