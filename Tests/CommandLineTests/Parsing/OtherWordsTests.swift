import TestSupport
import Testing
import Vocabulary
import Wire

@testable import CommandLine

@Suite struct `A word of another program` {
  private static func hint(_ line: String) -> String? {
    do throws(UsageError) {
      _ = try Parser.parse(line.split(separator: " ").map(String.init))
      return nil
    } catch {
      return error.failure.advice?.english
    }
  }

  @Test(arguments: [
    ("ls", "agent list"), ("switch work", "agent use"), ("signin", "agent login"), ("auth", "agent login"),
    ("auth login", "agent login"), ("auth signout", "agent logout"), ("auth status", "agent status"),
    ("refresh", "agent token --force-refresh"), ("run", "agent exec"), ("rename", "agent account rename"),
    ("log", "agent daemon log"), ("version", "agent --version"), ("logn", "agent login"),
    ("daemon logs", "agent daemon log"), ("login entra id", "agent login entra"),
    ("login google cloud", "agent login google"), ("login --web", "--browser"), ("login --no-browser", "--device"),
    ("token --refresh", "--force-refresh"), ("login --scopes x", "--scope"), ("inspect", "agent decode"),
    ("login --client x", "--client-id"), ("login --server x", "--issuer"), ("token --force", "--force-refresh"),
    ("token --aud x", "--audience"), ("list --format json", "--json"), ("renew", "agent token --force-refresh"),
  ]) func `leads to ours`(line: String, meant: String) {
    #expect(Self.hint(line) == "did you mean \"\(meant)\"?")
  }

  @Test(arguments: [
    "auth", "ls", "switch", "signin", "signout", "run", "export", "api", "refresh", "get", "id", "info", "check",
    "watch",
    "rm", "config", "log", "passwd", "version", "man", "start", "add", "set", "new", "mv", "kill", "jwt", "validate",
    "ci",
    "with", "print", "ps", "sessions", "reauth",
  ]) func `leads to a command that exists`(word: String) {
    let commands = OtherWords.commands(for: word)
    #expect(!commands.isEmpty)
    for command in commands where !command.hasPrefix("-") {
      let name = command.split(separator: " --")[0]
      #expect(CommandName.listed.contains { $0.rawValue == name }, "\(command)")
    }
  }

  @Test func `is a service under a company's or a longer name`() {
    for (name, service) in [
      ("gh", ProviderName.github), ("Entra ID", .entra), ("azure-ad", .entra), ("google cloud", .google),
      ("aws-sso", .identityCenter),
    ] {
      #expect(ProviderName.known(as: name) == [service])
    }
    let choices = SignInChoices([], standard: nil)
    #expect(choices.meaning(of: "gh") == ["github"] && choices.meaning(of: "microsoft") == ["entra", "outlook"])
  }
}
