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
    ("ls", "agent list"), ("switch work", "agent use work"), ("signin", "agent login"), ("auth", "agent login"),
    ("auth login -q", "agent login -q"), ("auth signout", "agent logout"), ("auth status", "agent status"),
    ("refresh work", "agent token --force-refresh work"), ("run", #"did you mean "agent exec"?"#),
    ("rename", #"did you mean "agent account rename"?"#),
    ("log", "agent daemon log"), ("version", "agent --version"), ("-j logn work", "agent login work --json"),
    ("daemon logs", "agent daemon log"), ("login entra id", "agent login entra"),
    ("login google cloud", "agent login google"), ("login --web", "agent login --browser"),
    ("login x --no-browser", "agent login x --device"), ("token --refresh", "agent token --force-refresh"),
    ("login --scopes x -q", "agent login --scope x -q"), ("login --scopes=x y", "agent login --scope x y"),
    ("inspect", "agent decode"), ("login --client x --bad", #"did you mean "--client-id"?"#),
    ("login --server x", "agent login --issuer x"), ("token --force", "agent token --force-refresh"),
    ("token --aud x", "agent token --audience x"), ("list --format json", "agent list --json"),
    ("token --output=json work", "agent token --json work"), ("token work --format -q", "agent token work --json -q"),
    ("token --jsno work", "agent token --json work"), ("token --refresh=yes work", "agent token --force-refresh work"),
    ("setup-git", "agent setup git"), ("daemon-start", "agent daemon start"), ("env --fish", "agent env --shell fish"),
    ("login --with-token", "agent help account import"),
    ("log in", "agent login"), ("sign in", "agent login"), ("log out", "agent logout"), ("sign off", "agent logout"),
    ("LS", "agent list"), ("docker login", #"did you mean "agent setup docker"?"#), ("git", "agent setup git"),
    ("kubectl get pods", #"did you mean "agent setup kubectl"?"#), ("aws s3", #"did you mean "agent setup aws"?"#),
    ("pip", "agent setup pip"),
    ("--login", "agent login"), ("--status", "agent status"), ("daemon --status", "agent daemon status"),
    ("env --format fish", "agent env --shell fish"), ("account ls", "agent list"),
    ("account delete dev", "agent account remove dev"), ("account edit dev", "agent account set dev"),
    ("account use dev", "agent use dev"), ("vault ls", "agent vault status"), ("vault unlock", "agent unlock"),
    ("vault password", "agent vault change-passphrase"), ("daemon kill", "agent daemon stop"),
    ("daemon ps", "agent daemon status"), ("environment", "agent env"),
    ("account import x --client-secret-env A", #"did you mean "--client-secret-file"?"#),
    ("providers", "agent help providers"), ("ci login", "agent workload"), ("ci robot", "agent workload robot"),
    ("account set work scope=openid", "agent account set work --scope openid"),
    ("account set work a=b", "agent help account set"),
    ("token work audience=x -q", "agent token work --audience x --quiet"),
    ("logn eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", #"did you mean "agent login"?"#),
  ]) func `leads to ours, with the rest of the line if that is valid`(line: String, meant: String) {
    #expect(Self.hint(line) == meant)
  }

  @Test func `of a descriptor does not lead to a file's name`() {
    #expect(Self.hint("login work --client-secret-fd 9") == "agent help login")
  }

  @Test func `after one dash leads to the long option of that name`() {
    #expect(Self.hint("token -min-valid 5m") == "agent token --min-valid 5m")
  }

  @Test func `for a client secret leads to both ways to pass it`() {
    #expect(
      Self.hint("login --client-secret x")
        == "did you mean \"--client-secret-prompt\" or \"--client-secret-file\"?")
    #expect(
      Self.hint("account set x --client-secret-env A")
        == "the secret is given at sign-in: agent login x --client-secret-prompt")
  }

  @Test(arguments: [
    ("ls", "list"), ("account delete", "account remove"), ("environment", "env"), ("vault bnd", "vault bind"),
    ("vault ls", "vault status"), ("github", "providers github"), ("docker", "setup"), ("refresh", "token"),
    ("providers githb", "providers github"), ("logn", "login"),
  ]) func `leads to the help of ours`(words: String, meant: String) {
    let failure = #expect(throws: Failure.self) {
      try HelpCommand.text(for: words.split(separator: " ").map(String.init), by: Main.commands)
    }
    #expect(failure?.advice?.english == "agent help \(meant)")
  }

  @Test(arguments: [
    ("token-file rm work", "agent token-file remove"),
    ("token-file new work", "agent token-file add"),
    ("token-file ad work", "agent token-file add"), ("token-file ls", "agent token-file"),
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
    let commands = WordSuggestions.commands(for: word)
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
    let choices = SignInChoices([], activeAccount: nil)
    #expect(choices.matches(for: "gh") == ["github"] && choices.matches(for: "microsoft") == ["entra", "outlook"])
  }
}
