import Platform
import TestSupport
import Testing

/// A program between a client and a software TPM, which changes a byte of each secret that the TPM finds.
final class LyingTPM: Sendable {
  private let directory: TemporaryDirectory
  private let process: RunningProcess

  init(between tpm: SoftwareTPM) throws {
    directory = try TemporaryDirectory()
    let place = String(tpm.connection.dropFirst("swtpm:path=".count))
    try #require(try ProcessRunner.shell("ln -s '\(place).ctrl' '\(directory.path("s")).ctrl'").succeeded)
    process = try RunningProcess(
      executable: "/usr/bin/python3", arguments: ["-c", Self.program, place, directory.path("s")])
    #expect(try process.readLine() == "listening")
  }

  /// How clients find it.
  var connection: String { "swtpm:path=\(directory.path("s"))" }

  // A command and an answer begin with a tag, their size and a code (TPM 2.0 Library, part 1, section 18); the answer of
  // TPM2_ECDH_ZGen goes on with the size of its parameters, of the point and of its first coordinate (part 3, section 14.5).
  private static let program = """
    import socket, struct, sys

    def part(peer, count):
        data = b""
        while len(data) < count:
            more = peer.recv(count - len(data))
            if not more:
                raise EOFError
            data += more
        return data

    def message(peer):
        head = part(peer, 10)
        return head + part(peer, struct.unpack(">I", head[2:6])[0] - 10)

    listener = socket.socket(socket.AF_UNIX)
    listener.bind(sys.argv[2])
    listener.listen(8)
    print("listening", flush=True)
    while True:
        client = listener.accept()[0]
        with client, socket.socket(socket.AF_UNIX) as tpm:
            tpm.connect(sys.argv[1])
            try:
                while True:
                    command = message(client)
                    tpm.sendall(command)
                    answer = bytearray(message(tpm))
                    if command[6:10] == b"\\x00\\x00\\x01\\x54" and len(answer) > 30:
                        answer[25] ^= 1
                    client.sendall(answer)
            except (EOFError, OSError):
                pass
    """
}
