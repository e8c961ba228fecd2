import Encoding
import Platform
import TestSupport
import Testing

/// A host for `ssh`, with a real `sshd`. Both the host and the user's own machine are this machine, with different
/// homes.
struct SSHHost {
  let near: AgentTree

  /// The `ssh` configuration, which calls the host `there`.
  var configuration: String { near.path("ssh/config") }

  init(near: AgentTree, far: AgentTree) throws {
    try self.init(near: near, variables: far.environment(), user: "$(id -un)", keys: near.path("ssh"), setup: ":")
  }

  /// Creates a host where another user is `guest`. For tests run by root.
  init(near: AgentTree, user: OtherUser) throws {
    // The entry is visible only in the namespace of sshd.
    let entry = "guest:x:\(user.userID):\(user.userID)::\(user.folder)/home:/bin/sh"
    let setup = "{ cat /etc/passwd; echo '\(entry)'; } > passwd; chmod 644 passwd; chown \(user.userID) authorized"
    try self.init(near: near, variables: user.environment, user: "guest", keys: user.folder, setup: setup)
  }

  /// Writes the configurations of `ssh` and of an `sshd` that starts for each connection.
  private init(near: AgentTree, variables: [String], user: String, keys: String, setup: String) throws {
    self.near = near
    let folder = near.path("ssh")
    let variables = variables.map { "\"\($0)\"" }.joined(separator: " ")
    let script = """
      set -e; umask 077; mkdir -p '\(folder)'; cd '\(folder)'
      ssh-keygen -q -t ed25519 -N '' -f host; ssh-keygen -q -t ed25519 -N '' -f key; cp key.pub authorized
      \(setup); [ '\(keys)' = '\(folder)' ] || mv authorized '\(keys)'
      cat > conf <<'END'
      HostKey \(folder)/host
      AuthorizedKeysFile \(keys)/authorized
      StrictModes no
      UsePAM no
      PidFile none
      SetEnv \(variables)
      END
      server='exec /usr/sbin/sshd -i -f \(folder)/conf 2> log'
      [ ! -e passwd ] || server="mount --bind passwd /etc/passwd && $server"
      [ "$(id -u)" -ne 0 ] || server="mount -t tmpfs tmpfs /run && mkdir /run/sshd && $server"
      printf 'cd "%s" && exec \(Recipes.ownMounts) sh -c "%s"\\n' "$PWD" "$server" > serve
      cat > connect <<'END'
      # Each connection has a port of its own, as at a real host.
      import os, socket, subprocess, threading
      listener = socket.create_server(("127.0.0.1", 0))
      near = socket.create_connection(listener.getsockname())
      far, _ = listener.accept()
      subprocess.Popen(["sh", "\(folder)/serve"], stdin=far, stdout=far)
      far.close()
      def copy():
        while data := os.read(0, 65536): near.sendall(data)
        near.shutdown(socket.SHUT_WR)
      threading.Thread(target=copy, daemon=True).start()
      while data := near.recv(65536): os.write(1, data)
      END
      cat > config <<END
      Host there
      ProxyCommand python3 \(folder)/connect
      User \(user)
      IdentityFile \(folder)/key
      IdentitiesOnly yes
      UserKnownHostsFile \(folder)/known
      StrictHostKeyChecking no
      LogLevel ERROR
      END
      """
    let made = try near.shell("sh", script)
    try #require(made.succeeded, "\(made.errorText)")
  }

  func configure(_ line: String) throws {
    try #require(near.shell("sh", "echo '\(line)' >> '\(near.path("ssh/conf"))'").succeeded)
  }

  var wasReached: Bool { (try? near.directory.read("ssh/log")) != nil }

  /// The IDs of the `ssh` processes that keep a connection for others.
  func connections() throws -> [Int32] {
    try ProcessFiles.processes(naming: near.directory.path).filter { process in
      ProcessFiles.text("cmdline", of: process)?.hasPrefix("ssh\0-M\0") ?? false
    }
  }
}
