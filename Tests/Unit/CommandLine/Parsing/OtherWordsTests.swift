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
    ("log in", "agent login"), ("sign in", "agent login"), ("log out", "agent logout"), ("sign off", "agent logout"),
    ("LS", "agent list"), ("docker login", "agent setup docker"), ("git", "agent setup git"),
    ("kubectl get pods", "agent setup kubectl"), ("aws s3", "agent setup aws"), ("pip", "agent setup pip"),
    ("--login", "agent login"), ("--status", "agent status"), ("daemon --status", "agent daemon status"),
    ("env --format fish", "--shell"), ("account ls", "agent list"), ("account delete dev", "agent account remove"),
    ("account edit dev", "agent account set"), ("account use dev", "agent use"), ("vault ls", "agent vault status"),
    ("vault unlock", "agent unlock"), ("vault password", "agent vault change-passphrase"),
    ("daemon kill", "agent daemon stop"), ("daemon ps", "agent daemon status"), ("environment", "agent env"),
    ("account import x --client-secret-env A", "--client-secret-file"), ("providers", "agent help providers"),
  ]) func `leads to ours`(line: String, meant: String) {
    #expect(Self.hint(line) == "did you mean \"\(meant)\"?")
  }

  @Test func `for a client secret leads to both ways to pass it`() {
    #expect(
      Self.hint("login --client-secret x")
        == "did you mean \"--client-secret-prompt\" or \"--client-secret-file\"?")
    #expect(
      Self.hint("account set x --client-secret-env A")
        == "the secret is given at sign-in: agent login --client-secret-prompt")
  }

  @Test(arguments: [
    ("ls", "list"), ("account delete", "account remove"), ("environment", "env"), ("vault bnd", "vault bind"),
    ("vault ls", "vault status"), ("github", "providers github"), ("docker", "setup"), ("refresh", "token"),
    ("providers githb", "providers github"), ("logn", "login"),
  ]) func `leads to the help of ours`(words: String, meant: String) {
    let failure = #expect(throws: Failure.self) {
      try HelpCommand.text(for: words.split(separator: " ").map(String.init), by: Main.commands)
    }
    #expect(failure?.advice?.english == "did you mean \"agent help \(meant)\"?")
  }

  @Test(arguments: [
    ("token-file rm work", "did you mean \"agent token-file remove\"?"),
    ("token-file new work", "did you mean \"agent token-file add\"?"),
    ("token-file ad work", "did you mean \"agent token-file add\"?"), ("token-file ls", "agent token-file"),
    ("completions tcsh", "choose one of bash, zsh, fish"), ("completions bas", "did you mean \"bash\"?"),
    ("token --header -j", "agent token --header or agent token --json"),
    ("token work -a dev --header", "agent token work --header or agent token dev --header"),
    ("use --here --directory /x", "agent use --here or agent use --directory /x"),
  ]) func `as an argument leads to ours`(line: String, hint: String) throws {
    let invocation = try Parser.parse(line.split(separator: " ").map(String.init))
    let failure = #expect(throws: Failure.self) {
      _ = try invocation.command?.makeAction(invocation)
    }
    #expect(failure?.advice?.english == hint)
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
    #expect(choices.matches(for: "gh") == ["github"] && choices.matches(for: "microsoft") == ["entra", "outlook"])
  }
}
