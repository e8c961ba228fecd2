import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `The proxy of an account` {
  private static func proxy(_ tree: AgentTree) throws -> String? {
    try tree.json("account", "show", "work")["settings"]?["proxy"]?.string
  }

  @Test func `is set, taken from the environment and removed by an option`() throws {
    try AgentTree.with { tree in
      let add = ["account", "add", "work", "--issuer", "https://as.example", "--client-id", "c"]
      try #require(tree.agent(add + ["--proxy", "socks5h://127.0.0.1:1080"]).succeeded)
      #expect(try Self.proxy(tree) == "socks5h://127.0.0.1:1080")
      let environment: [String: String?] = ["https_proxy": "http://other.example:3128", "no_proxy": "x.example"]
      let set = try tree.agent(["account", "set", "work", "--proxy", "environment"], environment)
      #expect(set.succeeded, "\(set.errorText)")
      #expect(try Self.proxy(tree) == "http://other.example:3128")
      #expect(try tree.json("account", "show", "work")["settings"]?["no_proxy"]?.string == "x.example")
      #expect(try tree.agent("account", "set", "work", "--proxy", "none").succeeded)
      #expect(try Self.proxy(tree) == nil)
      #expect(try tree.agent("account", "set", "work", "--proxy", "ftp://x.example").failed(2))
      let secret = try tree.agent("account", "set", "work", "--proxy", "http://me:canary@x.example")
      #expect(secret.failed(2) && secret.errorText.contains("environment"), "\(secret.errorText)")
    }
  }

  @Test func `is compared with the environment by doctor`() throws {
    try AgentTree.with { tree in
      let add = ["account", "add", "work", "--issuer", "https://as.invalid", "--client-id", "c"]
      let environment: [String: String?] = ["https_proxy": "http://127.0.0.1:1"]
      try #require(tree.agent(add + ["--proxy", "environment"], environment).succeeded)
      func warnings(_ changes: [String: String?]) throws -> [String] {
        let answer = try JSON(parsing: tree.agent(["doctor", "--json"], changes).output)
        return (answer["findings"]?.array ?? []).filter {
          $0["hint"]?.string == "agent account set work --proxy environment"
        }.compactMap { $0["message"]?.string }
      }
      #expect(try warnings([:]) == ["work uses the proxy 127.0.0.1:1, but this environment sets no proxy"])
      #expect(try warnings(["https_proxy": "http://me:canary@127.0.0.1:1/"]) == [])
      let other = try warnings(["https_proxy": "other.example:3128"])
      #expect(other == ["work uses the proxy 127.0.0.1:1, but this environment sets other.example:3128"])
      try #require(tree.agent("account", "set", "work", "--proxy", "http://127.0.0.1:1").succeeded)
      #expect(try warnings([:]) == [])
    }
  }

  /// Requires root, because sshd changes its user.
  private static let mayRunServer = Machine.userID == 0 && FileAccess(of: "/usr/sbin/sshd") != .missing

  @Test(.enabled(if: mayRunServer, "only root can run sshd")) func `may be that of ssh -D, which resolves the name`()
    throws
  {
    try AgentTree.with { tree in
      let authority = try CertificateAuthority(in: tree)
      try authority.certify("server", subject: "server", names: "DNS:id.test")
      let script = """
        ip link set lo up
        mkdir -p /run/sshd
        ssh-keygen -q -t ed25519 -N '' -f host
        ssh-keygen -q -t ed25519 -N '' -f user
        /usr/sbin/sshd -D -e -f /dev/null -p 2222 -h "$PWD/host" -o ListenAddress=127.0.0.1 -o PidFile=none \
          -o AuthorizedKeysFile="$PWD/user.pub" -o StrictModes=no -o UsePAM=no -o PermitRootLogin=yes 2> sshd &
        server=$!
        openssl s_server -accept 127.0.0.1:4433 -www -cert ../server.pem -key ../server.key > page 2>&1 &
        page=$!
        trap 'agent daemon stop --quiet || :; kill $server $page $tunnel || :' EXIT
        while ! ss -Hltn | grep -q ':2222 '; do sleep 0.02; done
        ssh -N -D 127.0.0.1:1080 -i user -p 2222 -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null \
          -o BatchMode=yes -o IdentitiesOnly=yes root@127.0.0.1 2> ssh &
        tunnel=$!
        while ! ss -Hltn | grep -q ':1080 '; do kill -0 $tunnel; sleep 0.02; done
        agent account add work --issuer https://id.test:4433 --client-id c --ca-file ../ca.pem \
          --proxy socks5h://127.0.0.1:1080
        login() { agent login work --device --json; }
        echo '127.0.0.1 id.test' > hosts
        mount --bind hosts /etc/hosts
        login > through && exit 1
        kill $tunnel
        wait $tunnel || :
        login > without && exit 1
        exit 0
        """
      let result = try ProcessRunner.run(
        executable: "/usr/bin/unshare", arguments: ["-nm", "--propagation", "private", "/bin/sh", "-ec", script],
        environment: tree.environment([
          "PATH": "\(try #require(Programs.folder)):/usr/sbin:/usr/bin:/sbin:/bin", "SHELL": nil,
        ]), directory: tree.path("home"))
      #expect(result.succeeded, "\(result.errorText)")
      let through = try tree.directory.readText("home/through")
      #expect(through.contains("no metadata was found at https://id.test:4433/"), "\(through)")
      let without = try tree.directory.readText("home/without")
      #expect(without.contains("cannot get through the proxy 127.0.0.1:1080"), "\(without)")
    }
  }
}
