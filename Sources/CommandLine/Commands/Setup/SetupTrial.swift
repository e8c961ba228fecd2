internal import AgentSocket
internal import Encoding
internal import Platform
internal import Vocabulary
internal import Wire

/// Requests a credential like the client would, and checks that one is returned. It is not shown.
struct SetupTrial {
  private let program: InstalledProgram
  private let words: [String]
  private var input = ""
  private var changes: [String: String?] = [:]
  /// Text that a successful response contains.
  private var expected = ""

  /// - Throws: `invalid_configuration` if the client would find no program to ask.
  init(_ client: SetupClient, _ context: SetupContext) throws(Failure) {
    switch client {
    case .git:
      guard let git = InstalledProgram("git") else { throw Self.missing("git") }
      program = git
      words = ["credential", "fill"]
      input = "url=\(context.url)\n\n"
      changes = ["GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": ""]
      expected = "password="
    case .docker, .pip, .uv:
      let name = client.link(context.name) ?? ""
      guard context.path(of: name) != nil, let found = InstalledProgram(name) else { throw Self.missing(name) }
      program = found
      words = client == .docker ? ["get"] : ["get", context.url, context.user ?? context.listed?.user ?? "oauth2"]
      input = client == .docker ? context.host : ""
    default:
      guard let own = InstalledProgram(context.program) else { throw Self.missing(context.program) }
      program = own
      words = try Self.words(client, context)
      if client == .kubectl {
        let asked: JSON = [
          "apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
          "spec": ["cluster": ["server": .string(context.url)], "interactive": false],
        ]
        changes = ["KUBERNETES_EXEC_INFO": String(decoding: asked.serialized(), as: UTF8.self)]
      }
    }
  }

  private static func words(_ client: SetupClient, _ context: SetupContext) throws(Failure) -> [String] {
    let place = ["--url", context.url]
    return switch client {
    case .aws: context.words(.aws, ["--role-arn", context.role ?? ""] + place)
    case .cargo: context.words(.cargo, place)
    case .go: context.words(.go)
    case .mcp: context.words(.mcp, place)
    case .kubectl: context.words(.kubectl)
    default: try context.tokenWords()
    }
  }

  private static func missing(_ name: String) -> Failure {
    Failure(.invalidConfiguration, "\(name) in PATH is missing or not this program")
  }

  /// - Parameter isHeard: Whether to show the client's error output.
  /// - Throws: `missing_value` if no credential was returned.
  func run(isHeard: Bool) throws(Failure) {
    var result: InstalledProgram.Result
    do {
      result = try program.run(words, input: Array(input.utf8), changes: changes, isHeard: isHeard)
    } catch {
      throw Failure(error, doing: Phrase("cannot run \(program.path)"))
    }
    defer { result.output.overwrite() }
    let isGood = result.output.split(separator: UInt8(ascii: "\n")).contains { $0.starts(with: expected.utf8) }
    guard result.succeeded, isGood else {
      throw Failure(.missingValue, Phrase("\(program.path) returned no credentials"), hint: "agent status")
    }
  }
}
