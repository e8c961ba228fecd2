import Encoding
import Platform
import TestSupport
import Testing
import Wire

@testable import CommandLine

@Suite struct `What a sign-in hands over` {
  private func handed(
    _ options: [String]
  ) throws -> (announced: Set<PassedSecret>, descriptors: [SharedDescriptor]) {
    let files = try SecretFiles(Set(PassedSecret.allCases), try Parser.parse(["login", "work"] + options))
    return (files.announcedKinds, try files.open())
  }

  private func failure(_ options: [String]) -> String? {
    do {
      _ = try handed(options)
      return nil
    } catch {
      return (error as? Failure)?.message
    }
  }

  @Test func `is nothing unless an option names it`() throws {
    let files = try handed([])
    #expect(files.announced.isEmpty && files.descriptors.isEmpty)
  }

  @Test func `are open files in the order of the protocol, whatever the order of the options`() throws {
    let directory = try TemporaryDirectory()
    for name in ["secret", "key", "certificate"] { try directory.write(name, name) }
    let files = try handed([
      "--client-certificate-file", directory.path("certificate"), "--client-key-file", directory.path("key"),
      "--client-secret-file", directory.path("secret"),
    ])
    #expect(files.announced == PassedSecret.credentials)
    let contents = try files.descriptors.map { try $0.descriptor.readToEnd(limit: 100) }
    #expect(contents.map { String(decoding: $0, as: UTF8.self) } == ["secret", "key", "certificate"])
  }

  @Test func `comes from one place only`() {
    #expect(
      failure(["--client-secret-file", "x", "--client-secret-prompt"])
        == "use only one of --client-secret-file and --client-secret-prompt")
    #expect(
      failure(["--client-secret-file", "-", "--client-key-file", "-"])
        == "standard input cannot be used for --client-secret-file and --client-key-file at once")
  }

  /// Only prints a message, before connecting or reading.
  @Test(arguments: [
    ("vault change-passphrase --passphrase-file - --new-passphrase-file -", "passphrase-file", "new-passphrase-file"),
    ("vault change-passphrase --protection tpm2 --pin-fd 0 --new-pin-file -", "new-pin-file", "pin-fd"),
    ("unlock --passphrase-file - --pin-fd 0", "passphrase-file", "pin-fd"),
    ("workload work --client-secret-file - --passphrase-file -", "client-secret-file", "passphrase-file"),
  ])
  func `is not in standard input beside another secret`(line: String, first: String, second: String) throws {
    let program = try AgentProgram()
    let result = try program.run(line.split(separator: " ").map { String($0) } + ["--no-input"])
    #expect(result.status == .exited(2))
    #expect(
      result.errorText == "agent: error: standard input cannot be used for --\(first) and --\(second) at once\n")
  }

  @Test func `must be there`() {
    #expect(
      failure(["--client-key-file", "/nowhere/key"])
        == "cannot read the client key file \"/nowhere/key\": No such file or directory")
  }

  @Test func `is not asked for where nothing may be read from the terminal`() {
    #expect(
      failure(["--client-secret-prompt", "--no-input"])
        == "--client-secret-prompt needs the terminal, but --no-input is set")
  }

  /// The arguments do not contain the secret; the daemon gets the pipe.
  @Test func `may come through a pipe`() throws {
    let program = try AgentProgram()
    let daemon = try FakeDaemon(at: program.runtime)
    try Threads.start(name: "fake-daemon") {
      guard let conversation = try? daemon.accept(), let (request, passed) = try? conversation.receive(),
        case .login(let login) = request.request, login.passedSecrets == [.clientSecret],
        let secret = try? passed?.descriptor.readToEnd(limit: 100)
      else { return }
      try? conversation.send(.failure(Failure(.cancelled, verbatim: String(decoding: secret, as: UTF8.self))))
    }
    let result = try program.run(["login", "--client-secret-file", "-"], input: Array("from a pipe".utf8))
    #expect(result.errorText == "agent: error: from a pipe\n")
  }

  @Test func `travel in one line, whatever their number`() throws {
    let program = try AgentProgram()
    let daemon = try FakeDaemon(at: program.runtime)
    for name in ["secret", "key", "certificate"] { try program.tree.write(name, name) }
    try Threads.start(name: "fake-daemon") {
      guard let conversation = try? daemon.accept(), let (_, passed) = try? conversation.receiveAll() else { return }
      let texts = passed.map { (try? $0.descriptor.readToEnd(limit: 100)).map { String(decoding: $0, as: UTF8.self) } }
      try? conversation.send(.failure(Failure(.cancelled, verbatim: texts.map { $0 ?? "-" }.joined(separator: " "))))
    }
    let result = try program.run([
      "login", "--client-key-file", "key", "--client-certificate-file", "certificate", "--client-secret-file", "secret",
    ])
    #expect(result.errorText == "agent: error: secret key certificate\n")
  }
}
