import Platform
import TestSupport
import Testing

@Suite struct `User directories` {
  private func variables(_ values: [String: String]) -> UserDirectories.Variables { { values[$0] } }

  @Test func `the home directory is the default`() throws {
    let plain = variables(["HOME": "/home/u"])
    #expect(try UserDirectories.configHome(in: plain) == "/home/u/.config")
    #expect(try UserDirectories.stateHome(in: plain) == "/home/u/.local/state")
    #expect(try UserDirectories.cacheHome(in: plain) == "/home/u/.cache")
  }

  @Test func `the XDG variables win when they are absolute, else they are ignored`() throws {
    let values = [
      "HOME": "/home/u", "XDG_CONFIG_HOME": "/c/", "XDG_STATE_HOME": "relative/s", "XDG_CACHE_HOME": "",
    ]
    #expect(try UserDirectories.configHome(in: variables(values)) == "/c")
    #expect(try UserDirectories.stateHome(in: variables(values)) == "/home/u/.local/state")
    #expect(try UserDirectories.cacheHome(in: variables(values)) == "/home/u/.cache")
  }

  @Test(arguments: [[:], ["HOME": ""]]) func `without the variable the home is the user's in passwd`(
    values: [String: String]
  ) throws {
    let entry = try #require(UserEntry.of(Machine.userID))
    #expect(try UserDirectories.configHome(in: variables(values)) == "\(entry.home)/.config")
  }

  @Test(arguments: [["HOME": "u"], ["HOME": "/home/jos\u{FFFD}"]])
  func `without a home there is an error`(
    values: [String: String]
  ) {
    #expect(throws: SystemError(errno: SystemError.Number.ENOENT, operation: "HOME")) {
      try UserDirectories.configHome(in: variables(values))
    }
  }

  @Test(.enabled(if: Machine.userID == 0, "only root can give a directory away"))
  func `another user's directories are not for root, by whichever variable`() throws {
    let scratch = try TemporaryDirectory()
    let own = scratch.path("own")
    let theirs = scratch.path("theirs")
    let make = "mkdir '\(own)' '\(theirs)' && chown 65534 '\(theirs)'"
    try #require(try ProcessRunner.shell(make).succeeded)
    for variable in [
      "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR",
    ] {
      func found(_ path: String, user: UInt32 = 0) -> UserDirectories.ForeignDirectory? {
        UserDirectories.foreign(in: variables(["HOME": own].merging([variable: path]) { $1 }), user: user)
      }
      // A missing directory would be created in its parent.
      for path in [theirs, "\(theirs)/missing/more"] {
        #expect(found(path)?.variable == variable && found(path)?.path == path)
        #expect(found(path, user: 65_534) == nil)
      }
      #expect(found("\(own)/missing") == nil && found("theirs") == nil && found("/missing") == nil)
    }
  }

  @Test func `runtime directories are tried in order, never one in /tmp`() throws {
    let found = UserDirectories.runtimeCandidates(in: variables(["HOME": "/home/u", "XDG_RUNTIME_DIR": "/r"]))
    #expect(found.first == "/r/agent")
    let last = try #require(found.last)
    #expect(last.hasPrefix("/home/u/.local/state/agent/run/"))
    #expect(last.hasSuffix(try #require(Machine.bootID())))
    #expect(!last.contains(Machine.hostName()))
    #expect(!found.contains { $0.hasPrefix("/tmp") })
    let standard = "/run/user/\(Machine.userID)"
    let hasStandard = try ProcessRunner.shell("test -d \(standard)").succeeded
    #expect(found.contains("\(standard)/agent") == hasStandard)
    #expect(UserDirectories.runtimeCandidates(in: variables(["HOME": "u"])).count == (hasStandard ? 1 : 0))
  }
}

@Suite struct `Runtime directories below the state home` {
  @Test func `are past when another start of this host made them`() throws {
    let scratch = try TemporaryDirectory()
    let variables: UserDirectories.Variables = { ["XDG_STATE_HOME": scratch.path][$0] }
    #expect(UserDirectories.pastRuntimeDirectories(in: variables) == [])
    let run = try scratch.open("agent/run")
    #expect(UserDirectories.pastRuntimeDirectories(in: variables) == [])
    let host = Machine.hostName()
    let start = try #require(Machine.bootID())
    let other = "01234567-89ab-cdef-0123-456789abcdef"
    let names = [
      "\(host)-\(other)", "\(host)-\(start)", "\(host)-more-\(other)", "more\(host)-\(other)", "\(host)-unknown",
      "\(host)-\(other)0", "\(host)-\(other.uppercased())", "\(host)-\(other.dropLast())-", host,
    ]
    let current = try #require(UserDirectories.runtimeCandidates(in: variables).last?.split(separator: "/").last)
    let machine = Machine.identity() == nil ? [] : ["\(current.dropLast(start.count))\(other)"]
    for name in names + machine { _ = try scratch.open("agent/run/\(name)") }
    let count = try run.fileNames().count
    #expect(count == names.count + machine.count)
    let past = (["\(host)-\(other)"] + machine).map { scratch.path("agent/run/\($0)") }
    #expect(Set(UserDirectories.pastRuntimeDirectories(in: variables)) == Set(past))
  }
}

@Suite struct `Facts about the machine` {
  @Test func `a machine id is 32 digits`() throws {
    let scratch = try TemporaryDirectory()
    func identity(_ text: String) throws -> [UInt8]? {
      try scratch.write("id", text)
      return Machine.identity(path: scratch.path("id"))
    }
    let digits = "000102030405060708090a0b0c0d0eff"
    #expect(try identity(digits + "\n") == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255])
    #expect(try identity(digits) != nil)
    for bad in ["", "\n", "uninitialized\n", String(digits.dropLast()), digits + "0", digits + "\n\n"] {
      #expect(try identity(bad) == nil)
    }
    for bad in [digits.uppercased(), String(repeating: "0", count: 32), String(repeating: "g", count: 32)] {
      #expect(try identity(bad) == nil)
    }
    #expect(Machine.identity(path: scratch.path("missing")) == nil)
  }

  @Test func `the boot id, host name and program are those of the system`() throws {
    #expect(Machine.bootID()?.utf8.count == 36)
    #expect(Machine.hostName() == String(try ProcessRunner.shell("uname -n").outputText.dropLast()))
    let link = try ProcessRunner.shell("readlink /proc/\(Machine.processID)/exe").outputText
    #expect(Machine.executablePath() + "\n" == link)
  }

  @Test func `user ids and variables are those of the process`() throws {
    #expect(Machine.userID == UInt32(try ProcessRunner.shell("id -u").outputText.dropLast()))
    #expect(Environment.value("PATH") == Environment.all().first { $0.0 == "PATH" }?.1)
    #expect(Environment.value("NO_SUCH_VARIABLE_HERE") == nil)
    #expect(Environment.entries().count >= Environment.all().count)
  }

  @Test func `random bytes differ`() {
    #expect(Randomness.bytes(0) == [])
    #expect(Randomness.bytes(16) != Randomness.bytes(16))
  }

  @Test func `errors have names and descriptions`() {
    let error = SystemError(errno: SystemError.Number.ENOENT, operation: "openat")
    #expect(error.name == "ENOENT")
    #expect(error.message == "No such file or directory")
    #expect("\(error)" == "openat: No such file or directory")
    #expect(error.isNotFound)
    #expect(!error.isNameTaken)
    #expect(SystemError(errno: 9999, operation: "x").name == "errno 9999")
  }
}
