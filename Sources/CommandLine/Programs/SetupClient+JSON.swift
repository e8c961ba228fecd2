internal import Encoding
internal import Wire

extension SetupClient {
  static let docker = SetupClient(
    name: "docker", executables: ["docker", "podman", "skopeo"], choices: [], link: dockerLink,
    overridingVariables: ["DOCKER_AUTH_CONFIG", "REGISTRY_AUTH_FILE"],
    plan: { (context) throws(Failure) in
      guard context.origin?.path.isEmpty ?? true else {
        throw Failure(
          .invalidRequest, "docker identifies registries by host, without a path",
          hint: Phrase.choices([context.host], of: "host"))
      }
      return SetupPlan(
        file: try dockerFile(context.files), member: ["credHelpers", context.host], .string(context.name))
    },
    trial: { (context) throws(Failure) in
      try SetupTrial(link: dockerLink(context.name), context, ["get"], input: context.host)
    })

  private static func dockerLink(_ own: String) -> String { "docker-credential-\(own)" }

  static func dockerFile(_ files: UserFiles) throws(Failure) -> SetupFile {
    try files.file("DOCKER_CONFIG", "config.json", else: ".docker/")
  }

  static let mcp = SetupClient(
    name: "mcp", executables: ["claude"], choices: [.account, .name],
    plan: { (context) throws(Failure) in
      // Unlike a helper for headers, the bridge gets a token for each call.
      let words =
        ["mcp", context.serverURL ?? context.url] + (context.namesAccount ? ["--account", context.account] : [])
      let value = JSONObject([
        ("type", "stdio"), ("command", .string(context.program)), ("args", .array(words.map { .string($0) })),
      ])
      let name = try context.entryName(else: context.hostWord)
      var plan = SetupPlan(
        file: try context.files.file("CLAUDE_CONFIG_DIR", ".claude.json", else: ""), member: ["mcpServers", name],
        .object(value))
      plan.entry = name
      return plan
    },
    trial: { (context) throws(Failure) in
      try SetupTrial(context.program, context.helperArguments(.mcp, ["--url", context.url]))
    })
}
