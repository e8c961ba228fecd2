internal import Vocabulary

/// The command that configures other programs.
enum SetupCommands {
  static let setup = Command(
    .setup,
    summary: "Have other programs ask for tokens",
    options: [
      Option.setupHost.declaration, Option.setupName.declaration, Option.roleARN.declaration,
      Option.user.declaration, Option.setupPrint.declaration, Option.setupDryRun.declaration,
      Option.setupUndo.declaration, Option.setupTest.declaration, Option.setupYes.declaration,
    ],
    operands: .setupProgram,
    examples: [
      Example("Set git up to ask for tokens", "agent setup git --host git.example.com --yes"),
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
      "name", in: .service, .text("NAME"), "The name of the profile, registry or server; in the program's own settings")
  }
}

extension Option<Bool> {
  static var setupPrint: Self { Self("print", in: .output, "Print what to put into the settings, and change nothing") }
  static var setupDryRun: Self { Self("dry-run", in: .output, "Show what would be added, and change nothing") }
  static var setupUndo: Self { Self("undo", in: .service, "Remove what was added") }
  static var setupTest: Self { Self("test", in: .service, "Ask for a credential as the program would") }
  static var setupYes: Self { Self("yes", in: .scripts, short: "y", "Do not ask for confirmation") }
}
