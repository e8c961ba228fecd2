import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `An account of a directory` {
  /// The accounts `work` and `own`, of which `own` is active, and the directories `home/work/sub`.
  private static func with(_ body: (Session) throws -> Void) throws {
    try Session.with { session in
      try session.tree.signIn("own", at: session.issuer.url)
      try #require(session.tree.agent("use", "own").succeeded)
      try #require(session.tree.shell("sh", "mkdir -p work/sub other").succeeded)
      try body(session)
    }
  }

  private static func run(
    _ script: String, in directory: String = "work/sub", _ session: Session, _ changes: [String: String?] = [:]
  ) throws -> String {
    let result = try session.tree.shell("sh", script, changes, in: session.tree.path("home/\(directory)"))
    #expect(result.succeeded, "\(script): \(result.errorText)")
    return result.outputText
  }

  @Test func `is used by commands without a name there and below, and shown`() throws {
    try Self.with { session in
      let tree = session.tree
      let (work, own) = (try tree.token("work"), try tree.token("own"))
      let set = try tree.shell("sh", "cd work; agent use work --here")
      #expect(set.errorText == "agent: commands in \(tree.path("home/work")) and below now use work\n")
      #expect(try Self.run("agent token", session) == work + "\n")
      #expect(try Self.run("agent token", in: "work", session) == work + "\n")
      #expect(try Self.run("agent token", in: "other", session) == own + "\n")
      for command in [
        "agent token --json | jq -r .access_token", "agent env --shell json | jq -r .AGENT_ACCESS_TOKEN",
        #"agent exec -- sh -c 'echo "$AGENT_ACCESS_TOKEN"'"#,
        #"agent exec --token-file -- sh -c 'cat "$AGENT_TOKEN_FILE"; echo'"#,
        "agent token --header | cut -d' ' -f3", #"eval "$(agent env)"; echo $AGENT_ACCESS_TOKEN"#,
      ] {
        #expect(try Self.run(command, session) == work + "\n", "\(command)")
      }
      for command in ["agent whoami --json", "agent account show --json"] {
        #expect(try Self.run("\(command) | jq -r .account", session) == "work\n", "\(command)")
      }
      #expect(try Self.run("agent token own", session) == own + "\n")
      #expect(try Self.run("agent token -a own", session) == own + "\n")
      #expect(try Self.run("agent token", session, ["AGENT_ACCOUNT": "own"]) == own + "\n")
      let used = try tree.shell("sh", "agent use", in: tree.path("home/work"))
      #expect(
        used.outputText == "own\n"
          && used.errorText.contains("commands in \(tree.path("home/work")) and below use work"))
      #expect(try tree.shell("sh", "agent use").errorText.isEmpty)
      #expect(
        try Self.run("agent status", session).contains("\ncommands in \(tree.path("home/work")) and below use work\n"))
      #expect(try !Self.run("agent status", in: "other", session).contains("commands in"))
      #expect(try tree.agent("status", "work").outputText.contains("directories  \(tree.path("home/work"))\n"))
      #expect(try tree.json("list")["accounts"]?.array?.first?["directories"] == [.string(tree.path("home/work"))])
      #expect(
        try tree.json("use", "own", "--directory", tree.path("home/work/sub/")) == [
          "account": "own", "directory": .string(tree.path("home/work/sub")),
        ])
      #expect(try Self.run("agent token", session) == own + "\n")
      #expect(try Self.run("agent token", in: "work", session) == work + "\n")
      #expect(
        try Self.run("agent use --clear --json", session) == #"{"directory":"\#(tree.path("home/work/sub"))"}"# + "\n")
      #expect(try Self.run("agent token", session) == work + "\n")
      let again = try tree.shell("sh", "agent use --clear", in: tree.path("home/work/sub"))
      #expect(again.failed(2) && again.errorText.contains("no account is set for \(tree.path("home/work/sub"))"))
      #expect(
        again.errorText.hasSuffix("agent use --clear --directory \(tree.path("home/work"))\n"), "\(again.errorText)")
    }
  }

  @Test func `follows a new name, goes with the account, and does not silently become another`() throws {
    try Self.with { session in
      let tree = session.tree
      _ = try Self.run("agent use work --here", in: "work", session)
      #expect(try tree.agent("account", "rename", "work", "job").succeeded)
      #expect(try Self.run("agent whoami --json | jq -r .account", session) == "job\n")
      // An account deleted from the file keeps its directories.
      try tree.editAllSettings { settings in
        var all = try #require(settings["accounts"]?.object)
        all["job"] = nil
        settings["accounts"] = .object(all)
      }
      let gone = try tree.shell("sh", "agent token", in: tree.path("home/work"))
      #expect(gone.failed(3) && gone.errorText.contains("no account is called job"), "\(gone.errorText)")
      #expect(try tree.agent("account", "remove", "job").succeeded)
      _ = try Self.run("agent use --clear", in: "work", session)
      #expect(try Self.run("agent token", session) == tree.token("own") + "\n")
      _ = try Self.run("agent use own --here", in: "work", session)
      try tree.signIn("work", at: session.issuer.url)
      #expect(try tree.agent("account", "remove", "own").succeeded)
      #expect(try Self.run("agent whoami --json | jq -r .account", session) == "work\n")
    }
  }

  @Test func `is found through links, and not in a moved, removed or unreadable name`() throws {
    try Self.with { session in
      let tree = session.tree
      let (work, own) = (try tree.token("work"), try tree.token("own"))
      _ = try Self.run("ln -s work link; agent use work --directory link/", in: ".", session)
      #expect(try Self.run("agent token", in: "link/sub", session) == work + "\n")
      let odd =
        #"d=$(printf 'sub/\377'); mkdir -p "$d/x \"q\" é"; cd "$d/x \"q\" é" && agent token && cd ../.. && mkdir 'a"é' && cd 'a"é' && agent token"#
      #expect(try Self.run(odd, in: "work", session) == "\(work)\n\(work)\n")
      _ = try Self.run("mv work moved", in: ".", session)
      #expect(try Self.run("agent token", in: "moved/sub", session) == own + "\n")
      let removed = try tree.shell(
        "sh", "mkdir gone; cd gone; rmdir ../gone; agent token; echo $?; agent whoami; echo $?; agent token own")
      #expect(removed.outputText == "2\n2\n\(own)\n", "\(removed)")
      #expect(removed.errorText.contains("the working directory, which no longer exists"))
      _ = try Self.run("agent use --clear --directory '\(tree.path("home/work"))'", in: ".", session)
      #expect(try tree.shell("sh", "mkdir gone; cd gone; rmdir ../gone; agent token").outputText == own + "\n")
      for wrong in [
        ["use", "work", "--directory", tree.path("home/none")], ["use", "work", "--directory", "/dev/null"],
        ["use", "--here"], ["use", "work", "--clear"], ["use", "work", "--here", "--directory", "/"],
      ] {
        #expect(try tree.agent(wrong).failed(2), "\(wrong)")
      }
      #expect(try tree.agent("use", "nobody", "--directory", "/").failed(3))
      #expect(try tree.agent("use", "work", "--directory", "/").succeeded)
      #expect(try Self.run("agent token", in: "other", session) == work + "\n")
    }
  }

  @Test func `decides for helpers and requests only between accounts that list the host`() throws {
    try Self.with { session in
      let tree = session.tree
      for name in ["work", "own"] { #expect(try tree.agent("account", "set", name, "--host", "git.example").succeeded) }
      #expect(try tree.agent("account", "set", "own", "--host", "own.example").succeeded)
      _ = try Self.run("agent use work --here", in: "work", session)
      _ = try Self.run("agent use own --here", in: "other", session)
      let git = "printf 'protocol=https\\nhost=HOST\\n' | agent helper git get | sed -n 's/^password=//p'"
      func password(_ host: String, in directory: String) throws -> String {
        try Self.run(git.replacing("HOST", with: host), in: directory, session)
      }
      #expect(try password("git.example", in: "work/sub") == tree.token("work") + "\n")
      #expect(try password("git.example", in: "other") == tree.token("own") + "\n")
      #expect(try password("own.example", in: "work/sub") == tree.token("own") + "\n")
      #expect(try password("git.example", in: ".").isEmpty)
      let url = "\(session.issuer.url)/userinfo"
      #expect(try Self.run("agent request '\(url)' -v 2>&1 | grep -c 'asking: resource'", session) == "1\n")
      let proof = try Self.run("agent proof GET https://git.example --json 2>&1 | jq -r .error.message", session)
      #expect(proof.contains("the access token of work is not bound to a key"), "\(proof)")
    }
  }

  @Test(.disabled(if: Programs.areSanitized, "the sanitizer allocates with system calls of its own"))
  func `costs a cached token no system call where none is set, and no second program where one is`() throws {
    try Self.with { session in
      let tree = session.tree
      func calls(in directory: String) throws -> [Substring] {
        _ = try Self.run("strace -o '\(tree.path("home/trace"))' agent token", in: directory, session)
        let lines = String(decoding: try tree.directory.read("home/trace"), as: UTF8.self).split(separator: "\n")
        return lines.map { $0.prefix { $0 != "(" } }
      }
      let plain = try calls(in: "work")
      #expect(!plain.contains("getcwd") && plain.count { $0 == "sendto" || $0 == "write" } == 2, "\(plain)")
      _ = try Self.run("agent use work --here", in: "work", session)
      let there = try calls(in: "work")
      #expect(there.count { $0 == "getcwd" } == 1 && there.count - plain.count <= 5, "\(there)")
    }
  }
}
