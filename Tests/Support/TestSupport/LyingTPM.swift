internal import Platform

/// A proxy that modifies the responses of a software TPM.
package final class LyingTPM: Sendable {
  package enum Lie: String, Sendable {
    /// Changes a byte of each shared secret.
    case secrets
    /// Makes the TPM fail to generate keys, after ``refuse()``.
    case refusal
  }

  private let directory: TemporaryDirectory
  private let process: RunningProcess

  package init(between tpm: SoftwareTPM, _ lie: Lie = .secrets) throws {
    directory = try TemporaryDirectory()
    let place = String(tpm.connection.dropFirst("swtpm:path=".count))
    try ProcessRunner.shell("ln -s '\(place).ctrl' '\(directory.path("s")).ctrl'")
    process = try RunningProcess(
      executable: "/usr/bin/python3", arguments: ["-c", Self.program, place, directory.path("s"), lie.rawValue])
    _ = try process.readLine()
  }

  package func refuse() throws { try directory.write("refusal", "") }

  /// The address for clients.
  package var connection: String { "swtpm:path=\(directory.path("s"))" }

  // Commands and responses begin with a tag, their size and a code (TPM 2.0 Library, part 1, section 18). The response
  // of TPM2_ECDH_ZGen continues with the sizes of its parameters, the point and its first coordinate (part 3, section
  // 14.5). TPM2_Create has the code 0x153, and 0x101 is TPM_RC_FAILURE (part 2, sections 6.5.2 and 6.6.3).
  private static let program = """
    import os, socket, struct, sys

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
    refusal = os.path.join(os.path.dirname(sys.argv[2]), "refusal")
    while True:
        client = listener.accept()[0]
        with client, socket.socket(socket.AF_UNIX) as tpm:
            tpm.connect(sys.argv[1])
            try:
                while True:
                    command = message(client)
                    tpm.sendall(command)
                    answer = bytearray(message(tpm))
                    code = struct.unpack(">I", command[6:10])[0]
                    if sys.argv[3] == "secrets" and code == 0x154 and len(answer) > 30:
                        answer[25] ^= 1
                    if sys.argv[3] == "refusal" and code == 0x153 and os.path.exists(refusal):
                        answer = struct.pack(">HII", 0x8001, 10, 0x101)
                    client.sendall(answer)
            except (EOFError, OSError):
                pass
    """
}
