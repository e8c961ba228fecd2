import Encoding
import Platform
import TestSupport
import Testing

/// An account that the administrator prepared in `/etc/agent/accounts.d`.
@Suite(.needsPrograms, .enabled(if: PresetTests.isPossible, "only root can give a test its own /etc"))
struct `A prepared account` {
  /// Runs a script with these files in the directory.
  private static func run(_ files: [String: String], _ script: String, in tree: AgentTree) throws -> ProcessResult {
    let presets = try tree.directory.open("presets")
    for (name, text) in files { try presets.replaceFile(name, with: Array(text.utf8).span, mode: 0o644) }
    let result = try ProcessRunner.run(
      executable: "/usr/bin/unshare", arguments: PresetTests.arguments(tree.path("etc"), tree.path("presets"), script),
      environment: tree.environment(), timeout: .testLimit)
    try #require(result.succeeded, "\(result.errorText)")
    return result
  }

  @Test func `needs no other options, and shows its changes, its programs and bad files`() throws {
    try Issuer.with([]) { issuer in
      try AgentTree.with { tree in
        let result = try Self.run(
          [
            "corp.json": #"{"issuer":"\#(issuer.url)","client_id":"agent-cli","scope":["openid","email"],"#
              + #""allow_http_loopback":true,"setup":["git --host git.example"]}"#,
            "bad.json": "{",
          ],
          """
          exec 2>&1
          agent help providers | head -2
          agent help providers corp
          agent login corp --device </dev/null
          agent status corp
          agent account set corp --scope openid
          agent status corp
          agent login corp --device </dev/null
          agent login bad --device </dev/null
          agent doctor | grep /etc/agent
          """, in: tree)
        let path = "/etc/agent/accounts.d"
        let lines = result.lines
        #expect(lines.prefix(3) == ["\(path):", "corp  \(issuer.url)", "corp: \(path)/corp.json"], "\(lines)")
        #expect(lines.count { $0 == "agent: using the settings in \(path)/corp.json" } == 1, "\(lines)")
        #expect(lines.count { $0 == "agent: to set up a program: agent setup git --host git.example" } == 1, "\(lines)")
        #expect(lines.count { $0.hasPrefix("agent: signed in to \(issuer.url)") } == 2, "\(lines)")
        #expect(lines.contains("the settings are those of \(path)/corp.json"), "\(lines)")
        #expect(lines.contains("settings that differ from \(path)/corp.json: scope"), "\(lines)")
        let bad = "\(path)/bad.json is ignored: not a JSON object"
        #expect(lines.contains("agent: \(bad)") && lines.last?.hasSuffix(bad) == true, "\(lines)")
        #expect(try tree.json("account", "show", "corp")["settings"]?["scope"] == ["openid"])
      }
    }
  }
}

private enum PresetTests {
  static func arguments(_ overlay: String, _ presets: String, _ script: String) -> [String] {
    let mount = """
      set -e
      mkdir -p "$0/upper" "$0/work"
      mount -t overlay overlay -o "lowerdir=/etc,upperdir=$0/upper,workdir=$0/work" /etc
      mkdir -p /etc/agent/accounts.d
      cp "$1"/* /etc/agent/accounts.d
      set +e
      eval "$2"
      """
    return ["--mount", "/bin/sh", "-c", mount, overlay, presets, script]
  }

  static let isPossible: Bool = {
    guard Machine.userID == 0, let directory = try? TemporaryDirectory(), (try? directory.write("x", [])) != nil else {
      return false
    }
    let words = arguments(directory.path("etc"), directory.path, "true")
    return (try? ProcessRunner.run(executable: "/usr/bin/unshare", arguments: words))?.succeeded ?? false
  }()
}
