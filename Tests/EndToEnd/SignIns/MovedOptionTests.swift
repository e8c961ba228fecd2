import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `An option that sign-ins do not have any more` {
  private static let settings = "--token-endpoint https://id.example.org/t"

  @Test(arguments: [
    (
      "work --issuer https://id.example.org --client-id cli \(settings) --device",
      "agent account add work --issuer https://id.example.org --client-id cli \(settings)"
        + " && agent login work --device"
    ),
    ("known \(settings) --scope openid", "agent account set known \(settings) && agent login known --scope openid"),
    ("\(settings)", "agent account set known \(settings) && agent login"),
    ("github --client-id cli --dpop", "agent account add github --client-id cli --dpop && agent login github"),
    (
      "id.example.org --client-id cli --dpop",
      "agent account add id.example.org --issuer https://id.example.org --client-id cli --dpop"
        + " && agent login id.example.org"
    ),
    (
      "robot --issuer https://id.example.org --guest --json",
      "agent workload robot --issuer https://id.example.org --json"
    ),
    ("ci --assertion-from gitlab-ci --use", "agent workload ci --assertion-from gitlab-ci"),
    ("known --qr-code", "AGENT_QR_CODE=always agent login known"),
    ("known --qr", "AGENT_QR_CODE=always agent login known"), ("known --copy-code", "agent login known"),
    (
      "known --register --initial-access-token-file /proc/sys/kernel/osrelease",
      "agent login known --register --client-secret-file /proc/sys/kernel/osrelease"
    ),
    ("known --passphrase-file f", "agent unlock --passphrase-file f && agent login known"),
    ("known --use", "agent login known && agent use known"),
    ("new --protect passphrase", "agent login new && agent account set new --protect passphrase"),
    ("--resume x --no-wait", "agent login --resume x --start"),
    ("known --client-secret-env A", "printenv A | agent login known --client-secret-file -"),
  ]) func `has the whole command in its hint`(line: String, hint: String) throws {
    try AgentTree.with { tree in
      let added = try tree.agent("account", "add", "known", "--issuer", "https://id.example.com", "--client-id", "cli")
      try #require(added.succeeded, "\(added.errorText)")
      let result = try tree.exactly(["login"] + line.split(separator: " ").map(String.init))
      #expect(result.status == .exited(2))
      let shown = line.contains("--json") ? [result.failure?["hint"]?.string ?? ""] : Hints.all(in: result)
      #expect(shown == [hint], "\(result.errorText)")
    }
  }

  @Test func `is accepted with an account in memory, which has no stored settings`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        try tree.signIn(at: issuer.url, "--ephemeral", "--dpop")
        #expect(try tree.json("token", "work")["token_type"] == "DPoP")
      }
    }
  }

  @Test func `works by the commands of its hint`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        let line = [
          "login", "work", "--issuer", issuer.url, "--client-id", "agent-cli", "--allow-http-loopback", "--device",
        ]
        let moved = try tree.exactly(line + ["--dpop"])
        for command in Hints.commands(in: try #require(Hints.all(in: moved).first)) {
          let result = try tree.exactly(command)
          #expect(result.succeeded, "\(result.errorText)")
        }
        #expect(try tree.json("token", "work")["token_type"] == "DPoP")
      }
    }
  }
}
