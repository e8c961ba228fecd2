internal import Vocabulary

/// The command that configures other programs.
enum SetupCommands {
  static let setup = Command(
    .setup,
    summary: "Have other programs ask for tokens",
    details: """
      Configures `git`, `docker` and other programs to call `agent helper`; without a program, shows which are installed
      and which are set up. The account must permit the host: `agent account set work --host git.example.com`; on a
      terminal, setup offers to do that.

      `CLIENT` is one of `git`, `docker` (with podman and skopeo), `aws`, `cargo`, `go`, `pip`, `uv`, `mcp` (Claude
      Code), `kubectl`, `msmtp`, `mbsync`, `neomutt` and `aerc`. For the last five, settings are only printed, to be
      pasted.

      Shows the additions, asks, and replaces the file in one step. Its mode and its content are kept, byte for byte.
      Symbolic links are followed if no other user can change their targets. If the program already has the setting, or
      its file cannot be parsed exactly, nothing is changed; `--print` prints the text to add. A second run changes
      nothing.

      Only the additions are recorded, in `~/.local/state/agent/setup.json`. `--undo` removes each addition that is
      unchanged, which restores the file, and names those changed since. Its exit status is 1 if something is left.

      `git` gets the helper for this URL only, after an empty one, so that no other helper stores a token. `docker` gets
      an entry in `credHelpers`. `aws` gets a profile, and requires `--role-arn`. `cargo` gets a registry, with the name
      from the project's own file, or only the provider if the registry exists. `go` asks for all permitted URLs, before
      the earlier value of `GOAUTH`. `pip` and `uv` are configured to call `keyring`: setup creates a link of that name
      to this program in `~/.local/share/agent/bin`, and prints the line for the `PATH`. An MCP client
      starts `agent mcp`; the server is named by `--name`, or by default after its host, and its URL is written as given
      in `--host`.

      `--test` fails if the program's own settings do not call this program. Otherwise it asks for a credential as the
      program would, and prints its account but not the token.

      With `--json` prints `{"client", "state", "host", "account", "file", "text"}`. `state` is `set_up`, `unchanged`,
      `proposed`, `printed` or `works`; `text` is the added text. With `--undo` prints `{"undone": [...]}` with such
      objects, and `state` is `undone`, `missing` or `changed`; without a client `{"clients": [{"client", "program",
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
      Example("Show the settings that docker would get", "agent setup docker --host registry.example.com --print"),
      Example("Undo everything", "agent setup --undo"),
    ])
}

extension Option<String?> {
  static var setupHost: Self {
    Self("host", in: .service, .text("HOST"), "The host or URL to get tokens for")
  }
  static var setupName: Self {
    Self(
      "name", in: .service, .text("NAME"), "The name of the profile, registry or server in the program's own settings")
  }
}

extension Option<Bool> {
  static var setupPrint: Self { Self("print", in: .output, "Print what to put into the settings, and change nothing") }
  static var setupDryRun: Self { Self("dry-run", in: .output, "Show what would be added, and change nothing") }
  static var setupUndo: Self { Self("undo", in: .service, "Remove what was added") }
  static var setupTest: Self { Self("test", in: .service, "Ask for a credential as the program would") }
  static var setupYes: Self { Self("yes", in: .scripts, short: "y", "Do not ask for confirmation") }
}
