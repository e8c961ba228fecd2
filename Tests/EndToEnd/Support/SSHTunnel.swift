import Platform
import TestSupport
import Testing

/// Runs `ssh -L` to this machine, through a real sshd. The address 127.0.0.2 represents the user's own machine.
enum SSHTunnel {
  /// Runs `body` while the port of 127.0.0.2 leads to that of 127.0.0.1.
  ///
  /// - Parameters:
  ///   - user: The user who connects (default: this test's). Another one needs root.
  ///   - body: Called with the option that makes curl use the tunnel.
  static func with(_ port: UInt16, as user: String? = nil, _ body: (_ option: String) throws -> Void) throws {
    let directory = try TemporaryDirectory()
    // After the sign-in, sshd reads the keys as the user.
    let script = """
      set -e; umask 022; cd '\(directory.path)'; chmod 755 .
      ssh-keygen -q -t ed25519 -N '' -f host; ssh-keygen -q -t ed25519 -N '' -f key; cp key.pub authorized
      printf '%s\\n' "HostKey $PWD/host" "AuthorizedKeysFile $PWD/authorized" 'StrictModes no' 'UsePAM no' \
        'PidFile none' > conf
      server="exec /usr/sbin/sshd -i -f $PWD/conf 2> $PWD/log"
      [ "$(id -u)" -ne 0 ] || server="mount -t tmpfs tmpfs /run && mkdir /run/sshd && $server"
      printf '#!/bin/sh\\nexec \(Recipes.ownMounts) sh -c "%s"\\n' "$server" > serve
      chmod +x serve
      exec ssh -N -F none -o ProxyCommand="$PWD/serve" -i key -o IdentitiesOnly=yes \
        -o UserKnownHostsFile="$PWD/known" -o StrictHostKeyChecking=no -o BatchMode=yes -o LogLevel=ERROR \
        -o ExitOnForwardFailure=yes -o PermitLocalCommand=yes -o LocalCommand='echo ready' \
        -L 127.0.0.2:\(port):127.0.0.1:\(port) "\(user ?? "$(id -un)")@there"
      """
    let ssh = try RunningProcess(executable: "/bin/sh", arguments: ["-c", script])
    let line = try ssh.readLine()
    try #require(line == "ready", "\(line) \(ssh.errorText)")
    defer { _ = try? ssh.terminate(Signals.SIGTERM) }
    defer { extendLifetime(directory) }
    try body("--connect-to 127.0.0.1:\(port):127.0.0.2:\(port)")
  }
}
