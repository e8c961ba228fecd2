import Platform
import TestSupport
import Testing

/// Files provided by a platform, such as the projected volumes of Kubernetes.
@Suite struct `A file that is handed out` {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  private func shell(_ script: String) throws {
    let result = try ProcessRunner.shell("cd '\(scratch.path)' && \(script)")
    try #require(result.succeeded, "\(result.errorText)")
  }

  private func read(_ name: String) throws -> String {
    let file = try PrivateDirectory.openProvidedFile(scratch.path(name))
    return String(decoding: try file.readToEnd(limit: 100), as: UTF8.self)
  }

  private func problem(_ name: String) -> FileProblem? {
    do {
      _ = try PrivateDirectory.openProvidedFile(scratch.path(name))
    } catch {
      if case .untrusted(let problem, _) = error { return problem }
    }
    return nil
  }

  @Test func `is read through the links of a projected volume, also after these were replaced`() throws {
    try shell(
      "chmod 1777 . && mkdir ..1 && echo one > ..1/token && ln -s ..1 ..data && ln -s ..data/token token")
    #expect(try read("token") == "one\n")
    try shell("mkdir ..2 && echo two > ..2/token && ln -s ..2 ..data_tmp && mv -T ..data_tmp ..data && rm -r ..1")
    #expect(try read("token") == "two\n")
  }

  @Test func `may lie in a directory that all may write to where nobody else can replace it`() throws {
    try shell("echo one > token && chmod 1777 .")
    #expect(try read("token") == "one\n")
    try shell("chmod 777 .")
    #expect(problem("token") == .writable(mode: 0o777, isDirectory: true))
  }

  @Test func `belongs to this user or to root, with all that leads to it`() throws {
    try #require(Machine.userID == 0, "only root gives files away")
    try shell("mkdir in && echo one > in/token && ln -s in/token token && chown 12345 in/token")
    #expect(problem("token") == .notOwned)
    try shell("chown 0 in/token && chown 12345 in")
    #expect(problem("token") == .notOwned)
    try shell("chown 0 in && chmod 1777 . && chown -h 12345 token")
    #expect(problem("token") == .writable(mode: 0o1777, isDirectory: true))
  }

  @Test func `is one that no other user may write to`() throws {
    try shell("echo one > token && chmod 620 token")
    #expect(problem("token") == .writable(mode: 0o620, isDirectory: false))
    try shell("chmod 644 token")
    #expect(try read("token") == "one\n")
  }

  @Test func `is a regular file, and is not waited for`() throws {
    try shell("mkfifo -m 600 pipe && mkdir in && ln -s nowhere link && ln -s round round")
    #expect(problem("pipe") == .notRegular)
    #expect(problem("in") == .notRegular)
    #expect(throws: DirectoryError.self) { try read("link") }
    #expect(throws: DirectoryError.self) { try read("round") }
    #expect(throws: DirectoryError.self) { try read("none") }
  }
}
