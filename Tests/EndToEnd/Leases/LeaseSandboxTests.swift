import Platform
import TestSupport
import Testing

/// Programs that do not know leases, in bubblewrap without a network. While the server delays a response, the memory,
/// environment, output and files of each are searched for the account's token.
@Suite(
  .needsPrograms, .needsForeignMemory,
  .enabled(if: Recipes.hasBubblewrap, "bubblewrap is not installed; \"make deps-check\" installs it"))
struct `A lease in a sandbox without a network` {
  /// Serves files, and a model that responds in one piece or in events. Delays a response until it reads a line.
  private static let server = #"""
    import http.server, json, sys
    FOLDER, HELD = sys.argv[1:3]
    class Handler(http.server.SimpleHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        def __init__(self, *words): super().__init__(*words, directory=FOLDER)
        def isPermitted(self):
            if (self.headers.get("Authorization") or "").startswith("Bearer "): return True
            self.send_error(401)
        def hold(self):
            print("held", flush=True)
            sys.stdin.readline()
        def do_GET(self):
            if not self.isPermitted(): return
            if self.path == HELD: self.hold()
            super().do_GET()
        def do_POST(self):
            content = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if not self.isPermitted(): return
            if not content.get("stream"): return self.answer({"text": content["input"].upper(), "sdk": self.headers["X-Stainless-Lang"]})
            self.send_response(200)
            for field in (("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked")): self.send_header(*field)
            self.end_headers()
            self.event("first")
            self.hold()
            self.event("second")
            self.wfile.write(b"0\r\n\r\n")
        def event(self, text):
            line = f"data: {text}\n\n".encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))
            self.wfile.flush()
        def answer(self, value):
            content = json.dumps(value).encode()
            self.send_response(200)
            for field in (("Content-Type", "application/json"), ("Content-Length", str(len(content)))): self.send_header(*field)
            self.end_headers()
            self.wfile.write(content)
        def log_message(self, *words): pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()
    """#

  /// Creates what the server serves: a text, a repository and the index of one package.
  private static func prepare(_ folder: String) throws {
    let package = """
      import hashlib, zipfile
      name, info = "helpedwheel-1.0-py3-none-any.whl", "helpedwheel-1.0.dist-info/"
      files = {"helpedwheel.py": "answer = 42\\n", info + "METADATA": "Metadata-Version: 2.1\\nName: helpedwheel\\nVersion: 1.0\\n",
               info + "WHEEL": "Wheel-Version: 1.0\\nGenerator: x\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"}
      with zipfile.ZipFile(name, "w") as archive:
          for path, text in {**files, info + "RECORD": "".join(path + ",,\\n" for path in files) + info + "RECORD,,\\n"}.items():
              archive.writestr(path, text)
      digest = hashlib.sha256(open(name, "rb").read()).hexdigest()
      open("index.html", "w").write(f"<a href={name}#sha256={digest}>{name}</a>")
      """
    let made = try ProcessRunner.shell(
      """
      set -e; mkdir -p '\(folder)/v1/simple/helpedwheel'; cd '\(folder)'; echo text > v1/hello
      git init -q work; cd work; echo text > file; git add file
      git -c user.name=a -c user.email=a@b commit -q -m first; git clone -q --bare . ../v1/repo.git
      git -C ../v1/repo.git update-server-info
      cd ../v1/simple/helpedwheel; python3 -c '\(package)'
      """)
    try #require(made.succeeded, "\(made.errorText)")
  }

  /// A recipe of agent-recipes(7).
  struct Recipe: CustomTestStringConvertible {
    let name: String
    /// The variable of the token.
    let token: String
    /// The path of the delayed response; empty for a model's stream.
    var held = ""
    /// A program that the recipe runs.
    var program: (name: String, text: String) = ("none", "")
    /// A command that follows the recipe.
    var then = "true"
    /// The last line of the output.
    let result: String

    var testDescription: String { name }
  }

  static let recipes = [
    Recipe(name: "curl", token: "API_TOKEN", held: "/v1/hello", result: "text"),
    Recipe(name: "git", token: "PASSWORD", held: "/v1/repo.git/HEAD", then: "cat repo/file", result: "text"),
    Recipe(
      name: "pip", token: "PACKAGES_TOKEN", held: "/v1/simple/helpedwheel/helpedwheel-1.0-py3-none-any.whl",
      then: "cat lib/helpedwheel.py", result: "answer = 42"),
    Recipe(
      name: "Model APIs", token: "OPENAI_API_KEY",
      program: (
        "assistant.py",
        #"""
        import os, requests
        class Client:
            def __init__(self, base_url=None, api_key=None):
                self.base_url, self.session = base_url or os.environ["OPENAI_BASE_URL"], requests.Session()
                self.session.headers.update({"Authorization": "Bearer " + (api_key or os.environ["OPENAI_API_KEY"]),
                                             "X-Stainless-Lang": "python", "Idempotency-Key": "a"})
            def create(self, **content):
                answer = self.session.post(self.base_url + "/responses", json=content, stream=content.get("stream", False))
                answer.raise_for_status()
                return answer
        client = Client()
        print(*client.create(input="hello").json().values(), end=" ")
        print(*[line.decode() for line in client.create(input="hello", stream=True).iter_lines() if line])
        """#
      ), result: "HELLO python data: first data: second"),
  ]

  /// Starts a recipe in an empty directory, with the server as its leased URL.
  private static func start(
    _ tree: AgentTree, _ place: String, _ recipe: Recipe, python: String?
  ) throws -> RunningProcess {
    let manual = try Manual.recipes()
    func lines(_ name: String) throws -> String { try #require(manual[name]?.first).joined(separator: "\n") }
    try #require(try ProcessRunner.shell("mkdir '\(tree.path("home/box"))'").succeeded)
    // The daemon's socket is not in /run here.
    let sandbox = try lines("A sandbox").replacing(
      "--tmpfs /run", with: "--tmpfs /run --tmpfs '\(tree.directory.path)'")
    try tree.directory.write("home/box/sandbox", sandbox)
    try tree.directory.write("home/box/\(recipe.program.name)", recipe.program.text)
    let script = try lines(recipe.name).split(separator: " ").map { word in
      word.hasPrefix("https://") && word.contains(".example.com/") ? place[...] : word
    }.joined(separator: " ")
    let folders = [Programs.folder, python, "/usr/local/bin", "/usr/bin", "/bin"].compactMap { $0 }
    return try RunningProcess(
      executable: "/bin/sh",
      arguments: ["-ec", "cd '\(tree.path("home/box"))'; chmod +x sandbox; \(script); \(recipe.then)"],
      environment: tree.environment([
        "PATH": folders.joined(separator: ":"), "PIP_CONFIG_FILE": "/dev/null", "PIP_TIMEOUT": "600", "PYTHONPATH": nil,
      ]))
  }

  /// The IDs of a process and its descendants.
  private static func family(of process: Int32) throws -> [Int32] {
    let listing = try ProcessRunner.shell("ps -e -o pid=,ppid=").outputText
    let pairs = listing.split(separator: "\n").map { $0.split(separator: " ").compactMap { Int32($0) } }
    var found = [process]
    for pair in pairs + pairs where pair.count == 2 && found.contains(pair[1]) && !found.contains(pair[0]) {
      found.append(pair[0])
    }
    return found
  }

  /// Searches the command, the process of its lease and all in the sandbox for the account's token.
  private static func search(_ tree: AgentTree, _ owner: RunningProcess, _ recipe: Recipe) throws {
    let token = try tree.token()
    let processes = try family(of: owner.processID)
    let environments = processes.map { ProcessFiles.text("environ", of: $0) ?? "" }
    let start = recipe.token + "="
    let lent = environments.flatMap { $0.split(separator: "\0") }.first { $0.hasPrefix(start) }?.dropFirst(start.count)
    let phantom = String(try #require(lent, "\(processes)"))
    // The command, its lease, bubblewrap twice, the port, a shell, and the program.
    #expect(processes.count >= 7 && phantom != token, "\(processes)")
    var seesPhantom = false
    for (process, environment) in zip(processes, environments) {
      let places = try ProcessMemory(of: process).places(of: [("access token", token), ("phantom", phantom)])
      #expect(!places.contains { $0.secret.hasPrefix("access") }, "\(process): \(places)")
      seesPhantom = seesPhantom || places.contains { $0.secret == "phantom" }
      #expect(!environment.contains(token))
    }
    // The search finds existing secrets.
    #expect(seesPhantom)
  }

  private static func finish(_ tree: AgentTree, _ owner: RunningProcess) throws -> String {
    var output = ""
    while let line = try? owner.readLine() { output += line + "\n" }
    #expect(try owner.wait() == .exited(0), "\(owner.errorText)")
    let token = try tree.token()
    #expect(!output.contains(token) && !owner.errorText.contains(token))
    #expect(try tree.files(containing: [token]).isEmpty)
    return output.split(separator: "\n").last.map(String.init) ?? ""
  }

  @Test(.needs(client: "pip"), arguments: recipes)
  func `leaves no trace of the account's token with an ordinary program`(recipe: Recipe) throws {
    try Session.with { session in
      let tree = session.tree
      try Self.prepare(tree.path("served"))
      let server = try RunningProcess(
        executable: "/usr/bin/python3", arguments: ["-c", Self.server, tree.path("served"), recipe.held])
      let origin = "http://127.0.0.1:\(try server.readLine())"
      try #require(tree.agent("account", "set", "work", "--host", origin).succeeded)
      let owner = try Self.start(tree, origin + "/v1", recipe, python: ClientProgram.folder)
      #expect(try server.readLine() == "held", "\(owner.errorText)")
      try Self.search(tree, owner, recipe)
      try server.send("\n")
      #expect(try Self.finish(tree, owner) == recipe.result, "\(owner.errorText)")
    }
  }

  @Test(.needsMCP) func `leaves no trace of the account's token with a client of the MCP SDK`() throws {
    let program = #"""
      import asyncio, os
      from mcp import Client
      from mcp.client.streamable_http import streamable_http_client
      from mcp.shared._httpx_utils import create_mcp_http_client
      async def main():
          http = create_mcp_http_client(headers={"Authorization": "Bearer " + os.environ["MCP_TOKEN"]})
          async with Client(streamable_http_client(os.environ["MCP_URL"], http_client=http)) as client:
              answers = [await client.call_tool("add", {"a": 1, "b": 2}), await client.call_tool("slow", {})]
              print(*[answer.content[0].text for answer in answers])
      asyncio.run(main())
      """#
    let recipe = Recipe(name: "MCP clients", token: "MCP_TOKEN", program: ("client.py", program), result: "3 done")
    try MCPServer.with { server in
      try server.set("silent", "x")
      let folder = try #require(MCPServer.python).replacing("/python3", with: "")
      let owner = try Self.start(server.tree, server.url, recipe, python: folder)
      _ = try server.next("slow begins")
      try Self.search(server.tree, owner, recipe)
      try server.unset("silent")
      #expect(try Self.finish(server.tree, owner) == recipe.result, "\(owner.errorText)")
    }
  }
}
