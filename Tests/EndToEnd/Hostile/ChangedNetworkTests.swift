import Encoding
import Platform
import TestSupport
import Testing

private let isPossible: Bool = {
  let result = try? ProcessRunner.run(
    executable: "/usr/bin/unshare", arguments: ["-rnm", "/bin/sh", "-c", "ip link set lo up"],
    environment: ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"])
  return result?.succeeded ?? false
}()

/// Private networks, with system files that the tests change.
@Suite(
  .needsProgramsForLong, .enabled(if: isPossible, "no namespaces may be made here"))
struct `A network that changes` {
  /// Runs a script in namespaces of its own. It may write files into the home.
  private static func run(_ script: String, _ tree: AgentTree) throws -> ProcessResult {
    try ProcessRunner.run(
      executable: "/usr/bin/unshare",
      arguments: ["-rnm", "--propagation", "private", "/bin/sh", "-c", "set -e\nip link set lo up\n" + script],
      environment: tree.environment([
        "PATH": "\(try #require(Programs.folder)):/usr/sbin:/usr/bin:/sbin:/bin", "SHELL": nil,
      ]), directory: tree.path("home"))
  }

  /// Starts an issuer, signs in, and lets the account send its token to the issuer.
  private static let signIn = """
    devissuer --port 0 --control --approve always --interval 1 > issuer &
    issuer=$!
    trap 'agent daemon stop; kill $issuer; wait $issuer || :' EXIT
    while ! test -s issuer; do sleep 0.02; done
    url=$(sed 's/.*"issuer":"\\([^"]*\\)".*/\\1/' issuer)
    port=${url##*:}
    agent login work --issuer "$url" --client-id agent-cli --allow-http-loopback --device --quiet
    agent account set work --host "$url" --quiet

    """

  // Like a VPN that came up, or a router that forgot its translations.
  @Test func `a kept connection whose packets are dropped costs a request a moment`() throws {
    try AgentTree.with { tree in
      let result = try Self.run(
        Self.signIn + """
          ip rule add pref 10 lookup local
          ip rule del pref 0
          agent request "$url/userinfo" > first
          ss -Htn state established "( dport = :$port )" | awk '{ sub(".*:", "", $3); print $3 }' > kept
          test -s kept
          for own in $(cat kept); do ip rule add pref 5 ipproto tcp dport $own blackhole; done
          begin=$(date +%s%N)
          agent request "$url/userinfo" > second
          echo $((($(date +%s%N) - begin) / 1000000)) > passed
          """, tree)
      try #require(result.succeeded, "\(result.errorText)")
      func text(_ name: String) throws -> String { try tree.directory.readText("home/" + name) }
      #expect(try text("first") == text("second"))
      let passed = try #require(try Int(text("passed").dropLast()))
      #expect(passed < 10_000, "the answer took \(passed) ms")
    }
  }

  @Test func `a kept connection is dropped when a new one would have another address`() throws {
    try AgentTree.with { tree in
      let result = try Self.run(
        Self.signIn + """
          agent request "$url/userinfo" > first
          ss -Htn src 127.0.0.9 > none
          ip address add 127.0.0.9/8 dev lo
          ip route replace table local local 127.0.0.1 dev lo src 127.0.0.9
          agent request "$url/userinfo" > second
          ss -Htn src 127.0.0.9 > new
          """, tree)
      try #require(result.succeeded, "\(result.errorText)")
      #expect(try tree.directory.readText("home/none").isEmpty)
      #expect(try !tree.directory.readText("home/new").isEmpty, "the kept connection was used")
    }
  }

  /// Serves `https://id.test:$port/` with a certificate of the authority in `ca.pem`.
  private static func serve(_ tree: AgentTree) throws -> String {
    let authority = try CertificateAuthority(in: tree)
    try authority.certify("server", subject: "server", names: "DNS:id.test,IP:127.0.0.1")
    return """
      openssl s_server -accept 127.0.0.1:0 -www -cert ../server.pem -key ../server.key > server 2>&1 &
      server=$!
      trap 'agent daemon stop; kill $server $names || :; wait' EXIT
      while ! port=$(sed -n 's/^ACCEPT .*://p' server | grep .); do sleep 0.02; done

      """
  }

  // Kubernetes operators and company images mount only this file.
  @Test func `an authority that is only in the bundle is trusted, as curl does`() throws {
    try AgentTree.with { tree in
      let result = try Self.run(
        Self.serve(tree) + """
          mount -t tmpfs none /etc/ssl/certs
          login() { agent login work --issuer https://127.0.0.1:$port --client-id c --device --json "$@"; }
          login > unknown && exit 1
          cat ../ca.pem > /etc/ssl/certs/ca-certificates.crt
          curl -sS -o page https://127.0.0.1:$port/
          login > known && exit 1
          login --issuer https://localhost:$port > other && exit 1
          exit 0
          """, tree)
      try #require(result.succeeded, "\(result.errorText)")
      func code(_ name: String) throws -> String? {
        let line = try tree.directory.readText("home/" + name).split(separator: "\n").last ?? ""
        return try JSON(parsing: Array(line.utf8))["code"]?.string
      }
      #expect(try code("unknown") == "certificate_rejected")
      // The server responds with pages, so there is no metadata, but it was asked.
      let known = try tree.directory.readText("home/known")
      #expect(try code("known") == "invalid_configuration", "\(known)")
      #expect(try code("other") == "certificate_rejected", "a certificate of another host is accepted")
    }
  }

  /// A name server that answers only questions for IPv4 addresses.
  private static let halfResolver = """
    import socket
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind(("127.0.0.1", 53))
    open("names", "w").write("ready")
    while True:
      question, peer = s.recvfrom(512)
      end = question.index(b"\\0", 12) + 1
      if question[end:end + 2] != b"\\0\\1": continue
      head = question[:2] + bytes.fromhex("818000010001 00000000".replace(" ", ""))
      answer = bytes.fromhex("c00c00010001000000100004") + bytes([127, 0, 0, 1])
      s.sendto(head + question[12:end + 4] + answer, peer)
    """

  private static let silentResolver = """
    import socket, time
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind(("127.0.0.1", 53))
    open("names", "w").write("ready")
    while True: s.recvfrom(512)
    """

  private static func resolve(_ script: String, _ options: String, _ tree: AgentTree) throws -> String {
    try tree.directory.write("names.py", Array(script.utf8))
    return """
      printf 'nameserver 127.0.0.1\\noptions \(options)\\n' > resolv
      mount --bind resolv "$(readlink -f /etc/resolv.conf)"
      printf 'hosts: dns\\n' > order
      mount --bind order /etc/nsswitch.conf
      python3 ../names.py &
      names=$!
      while ! test -s names; do sleep 0.02; done

      """
  }

  // The resolver waits three times for the other answer, longer than a connection may take.
  @Test func `a name server that never answers for IPv6 delays a sign-in, and no more`() throws {
    try AgentTree.with { tree in
      let result = try Self.run(
        Self.resolve(Self.halfResolver, "timeout:4 attempts:1", tree) + Self.serve(tree) + """
          curl -sS --cacert ../ca.pem -o page https://id.test:$port/ &
          curl=$!
          agent login work --issuer https://id.test:$port --client-id c --device --ca-file ../ca.pem --json \\
            > answer && exit 1
          wait $curl
          """, tree)
      try #require(result.succeeded, "\(result.errorText)")
      let answer = try tree.directory.readText("home/answer")
      #expect(answer.contains(#""code":"invalid_configuration""#), "\(answer)")
    }
  }

  @Test func `a name server that answers nothing is named`() throws {
    try AgentTree.with { tree in
      let result = try Self.run(
        Self.resolve(Self.silentResolver, "timeout:5 attempts:1", tree) + """
          trap 'agent daemon stop; kill $names || :' EXIT
          agent login work --issuer https://id.test --client-id c --device 2> answer && exit 1
          exit 0
          """, tree)
      try #require(result.succeeded, "\(result.errorText)")
      let answer = try tree.directory.readText("home/answer")
      #expect(
        answer.contains("cannot reach id.test: no answer from the name server 127.0.0.1\n"), "\(answer)")
    }
  }
}
