internal import Vocabulary

/// The command that configures other programs.
enum SetupCommands {
  static let setup = Command(
    .setup,
    summary: "Have other programs ask for tokens",
    details: """
      Has `git`, `docker` and other programs ask `agent helper`; alone it lists the programs that are here, and which are
      set up. The account must list the place: `agent account set work --host git.example.com`; on a
      terminal it is asked for.

      `CLIENT` is one of `git`, `docker` (with podman and skopeo), `aws`, `cargo`, `go`, `pip`, `uv`, `mcp` (Claude Code),
      `kubectl`, `msmtp`, `mbsync`, `neomutt` and `aerc`. Nothing is written for the last five: what they need is printed, to
      be pasted.

      It shows what would be added, asks, and writes the file anew in one step, with its mode, and through symbolic links
      whose way no other user can change. All that was in the file stays, byte for byte. Where a program has the setting
      already, or its file cannot be read by the letter, nothing is changed; `--print` prints what to put there. A second
      run changes nothing.

      What was added is noted in `~/.local/state/agent/setup.json`, and nothing of what was there. `--undo` takes out what
      is still as it was put there, which leaves the file as it was, and names what was changed since. Its exit status is 1
      if something is left.

      `git` gets the helper for this place alone, behind an empty one, so that no other helper stores a token. `docker` gets
      an entry of `credHelpers`. `aws` gets a profile, and wants `--role-arn`. `cargo` gets a registry, by the name that the
      project's own file gives it, or its provider where the registry is there. `go` asks for all places that are listed, before what `GOAUTH` had. `pip` and `uv` are told to
      call `keyring`: a link of that name to this program is made in `~/.local/share/agent/bin`, and the line for the `PATH`
      is printed. An MCP server is named by `--name`, and by its host without; its URL is written as `--host` has it.

      `--test` fails where the program's own settings do not ask this one; else it asks for a credential as the program
      would, and says whose it is. The token is shown to nobody.

      With `--json` prints `{"client", "state", "host", "account", "file", "text"}`. `state` is `set_up`, `unchanged`,
      `proposed`, `printed` or `works`; `text` is what is added. With `--undo` it is `{"undone": [...]}` with such objects,
      whose `state` is `undone`, `missing` or `changed`; without a client `{"clients": [{"client", "program",
      "printed_only", "set_up": [...]}]}`.
      """,
    options: [
      Option.setupHost.declaration, Option.setupName.declaration, Option.roleARN.declaration,
      Option.user.declaration, Option.setupPrint.declaration, Option.setupDryRun.declaration,
      Option.setupUndo.declaration, Option.setupTest.declaration, Option.setupYes.declaration,
    ],
    operands: .setupProgram,
    examples: [
      Example("Have git ask for tokens", "agent setup git --host git.example.com --yes"),
      Example("See what docker would get", "agent setup docker --host registry.example.com --print"),
      Example("Take everything back", "agent setup --undo"),
    ])
}

extension Option<String?> {
  static var setupHost: Self {
    Self("host", in: .service, .text("HOST"), "The place that tokens are for: a host, or a URL")
  }
  static var setupName: Self {
    Self(
      "name", in: .service, .text("NAME"), "The name of the profile, registry or server in the program's own settings")
  }
}

extension Option<Bool> {
  static var setupPrint: Self { Self("print", in: .output, "Print what to put into the settings, and change nothing") }
  static var setupDryRun: Self { Self("dry-run", in: .output, "Show what would be added, and change nothing") }
  static var setupUndo: Self { Self("undo", in: .service, "Take out what was added") }
  static var setupTest: Self { Self("test", in: .service, "Ask for a credential as the program would") }
  static var setupYes: Self { Self("yes", in: .scripts, short: "y", "Ask nothing") }
}
