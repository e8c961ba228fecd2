internal import Encoding
internal import Platform
internal import Wire

enum MachineCheck {
  /// Checks `HOME`, the runtime directory and, unless the daemon is private, its sockets.
  static func checksBeforeDaemon(isPrivate: Bool) -> (findings: [Finding], mayAskDaemon: Bool) {
    var findings: [Finding] = []
    if let foreign = UserDirectories.foreign {
      findings.add(
        .environment, .fail,
        Phrase("\(foreign.variable) is \(foreign.path), which does not belong to root"),
        hint: DaemonLauncher.foreignHint(foreign))
    } else if (try? UserDirectories.home(in: Environment.value)) == nil {
      findings.add(
        .environment, .fail, Phrase("HOME is not set to an absolute path"),
        hint: Phrase(verbatim: #"export HOME="$(getent passwd "$(id -u)" | cut -d: -f6)""#))
    }
    findings.append(runtimeDirectory())
    if isPrivate { return (findings, true) }
    let (sockets, isUsable) = socket()
    return (findings + sockets, isUsable)
  }

  static func checksWithoutDaemon() -> [Finding] {
    [path(), disk()] + unwritableDirectories() + administratorFiles() + [browser()] + service()
  }

  private static func administratorFiles() -> [Finding] {
    var problems = AdministratorFiles.ofThisMachine().problems
    if let home = try? UserDirectories.configHome {
      problems +=
        Result { () throws(ClientsFile.Problem) in try ClientsFile.readUserFile(in: "\(home)/agent") }.problems
    }
    return problems.map { Finding(.settings, .warn, Failure($0)) }
  }

  private static func unwritableDirectories() -> [Finding] {
    let homes = [
      try? UserDirectories.stateHome + "/agent", try? UserDirectories.stateHome + "/agent/locks",
      try? UserDirectories.configHome + "/agent", try? UserDirectories.cacheHome + "/agent",
    ]
    return homes.compactMap(\.self).compactMap { path in
      do throws(DirectoryError) {
        try PrivateDirectory.tryWriting(near: path)
        return nil
      } catch {
        let command =
          switch error {
          case .system(let cause, let path) where cause.isNoSpace:
            "df -h \(ShellWord.quoted(path)); df -i \(ShellWord.quoted(path))"
          case .system(let cause, let path) where cause.isNotDirectory:
            "ls -ld \(ShellWord.quoted(parent(of: path)))"
          case .system(_, let path), .untrusted(_, let path): "ls -ld \(ShellWord.quoted(path))"
          }
        return Finding(
          .directory, .fail, Phrase("cannot create a file there: \(Phrase(verbatim: error.message))"),
          hint: Phrase(verbatim: error.remedy ?? command))
      }
    }
  }

  private static func parent(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? path
  }

  // MARK: Socket

  private static func runtimeDirectory() -> Finding {
    guard let set = Environment.value("XDG_RUNTIME_DIR"), !set.isEmpty else {
      let own = UserDirectories.runtimeCandidates().first ?? "-"
      return Finding(.directory, .ok, Phrase("XDG_RUNTIME_DIR is not set; using \(own)"))
    }
    do throws(DirectoryError) {
      _ = try PrivateDirectory(opening: set, create: false)
      return Finding(.directory, .ok, Phrase(verbatim: set))
    } catch {
      // For example after su or sudo -E.
      return Finding(
        .directory, .warn, Phrase("XDG_RUNTIME_DIR: \(Failure(error).text)"), hint: Phrase("unset XDG_RUNTIME_DIR"))
    }
  }

  private enum SocketState: Sendable {
    case absent
    /// The daemon has ended.
    case stale
    /// The daemon is in another network or mount namespace.
    case elsewhere
    case unusable(Failure)
    /// The daemon does not reply. Its process ID is nil if unknown.
    case silent(Failure, process: Int32?)
    /// The daemon replied.
    case daemon(process: Int)
    case lease
  }

  private static let socketTimeout = Duration.seconds(1)

  /// `isUsable` is true if the daemon responds or can be started.
  private static func socket() -> (findings: [Finding], isUsable: Bool) {
    let named: SocketLocation?
    do throws(Failure) { named = try SocketLocation.fromEnvironment() } catch {
      return ([Finding(.socket, .fail, error.text, hint: Phrase("unset AGENT_SOCKET"))], true)
    }
    var findings: [Finding] = []
    var daemons: [(path: String, process: Int)] = []
    var isUsable: Bool?
    let locations = named.map { [$0] } ?? SocketLocation.all
    for (location, state) in zip(locations, socketStates(locations)) {
      switch state {
      case .absent: break
      case .stale:
        findings.add(.socket, .ok, Phrase("\(location.path) was left by a daemon that is no longer running"))
      case .elsewhere:
        findings.add(
          .socket, .warn,
          Phrase("the daemon at \(location.path) is in another network or mount namespace, so it is not used here"),
          hint: Phrase(verbatim: "AGENT_SOCKET=\(ShellWord.quoted(location.path)) agent daemon stop"))
      case .unusable(let failure): findings.add(.socket, .fail, failure)
      case .silent(let failure, let process):
        isUsable = isUsable ?? false
        findings.add(
          .socket, .fail, Phrase("\(location.path): \(failure.text)"), hint: process.flatMap(remedy) ?? failure.advice)
      case .lease:
        isUsable = isUsable ?? false
        findings.add(
          .socket, .warn,
          Phrase(
            "\(location.path) is the socket of a lease, which gives no information about the daemon and the accounts"))
      case .daemon(let process):
        isUsable = isUsable ?? true
        if !daemons.contains(where: { $0.process == process }) { daemons.append((location.path, process)) }
      }
    }
    if let first = daemons.first { findings.insert(Finding(.socket, .ok, Phrase(verbatim: first.path)), at: 0) }
    for other in daemons.dropFirst() {
      findings.add(
        .socket, .warn, Phrase("a second daemon is running, process \(other.process): \(other.path)"),
        hint: Phrase(verbatim: "AGENT_SOCKET=\(ShellWord.quoted(other.path)) agent daemon stop"))
    }
    if let named, daemons.isEmpty, findings.isEmpty {
      findings.add(
        .socket, .warn, Phrase("AGENT_SOCKET is \(named.path), but no daemon was listening there"),
        hint: Phrase("unset AGENT_SOCKET"))
    }
    return (findings, isUsable ?? true)
  }

  private static func socketStates(_ locations: [SocketLocation]) -> [SocketState] {
    let found = Monitor([Int: SocketState]())
    for (index, location) in locations.enumerated() {
      do {
        try Threads.start(name: "doctor") {
          let state = socketState(location)
          found.update { $0[index] = state }
        }
      } catch {
        let state = socketState(location)
        found.update { $0[index] = state }
      }
    }
    // Covers connections that never return.
    let all = found.wait(socketTimeout * 3) { $0.count == locations.count ? $0 : nil } ?? found.withLock { $0 }
    let late = Failure.noAnswerInTime
    return locations.indices.map { all[$0] ?? .silent(late, process: nil) }
  }

  private static func socketState(_ location: SocketLocation) -> SocketState {
    do throws(DirectoryError) {
      let directory = try PrivateDirectory(opening: location.directory, create: false)
      guard directory.exists(location.name) else { return .absent }
      if location.isServedElsewhere { return .elsewhere }
    } catch {
      if case .system(let cause, _) = error, cause.isNotFound { return .absent }
      return .unusable(Failure(error))
    }
    var process: Int32?
    do throws(Failure) {
      guard var connection = try location.connect(within: 1) else { return .stale }
      process = connection.processID
      try connection.send(RequestEnvelope(.daemon(.status), timeoutSeconds: 1))
      let reply = try connection.nextReply(before: .now.advanced(by: socketTimeout))
      if case .failure(let failure) = reply, [.notPermitted, .leaseEnded].contains(failure.code) { return .lease }
      guard case .result(let status) = reply, let process = status["pid"]?.int else { throw Reply.unreadable }
      return .daemon(process: process)
    } catch {
      return .silent(error, process: process)
    }
  }

  /// The command that resumes or ends an unresponsive daemon; nil if the process is not agentd.
  private static func remedy(forUnresponsive process: Int32) -> Phrase? {
    guard let bytes = try? FileDescriptor.content(of: "/proc/\(process)/stat", limit: 4096) else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    guard let end = text.lastIndex(of: ")"), text[..<end].hasSuffix("(agentd") else { return nil }
    // Stopped, or traced and stopped (proc_pid_stat(5)).
    let isStopped = ["T", "t"].contains { text[end...].dropFirst(2).hasPrefix($0) }
    return Phrase(verbatim: isStopped ? "kill -CONT \(process)" : "kill \(process)")
  }

  // MARK: Installation

  /// Compares this program with those in `PATH`.
  private static func path() -> Finding {
    let (name, own) = (ProgramName.current.text, Machine.executablePath())
    guard let found = Spawn.search(name) else {
      return Finding(.path, .ok, Phrase("\(own), which is not in PATH"))
    }
    if !Spawn.isSame(found, own) {
      let directory = own.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
      return Finding(
        .path, .warn, Phrase("another program comes first: \(found); this one is \(own)"),
        hint: Phrase(verbatim: "export PATH=\(ShellWord.quoted(directory)):\"$PATH\""))
    }
    if let other = Spawn.search(name, except: own) {
      return Finding(
        .path, .warn, Phrase("PATH also contains another program of this name: \(other)"),
        hint: Phrase(verbatim: "type -a \(name)"))
    }
    return Finding(.path, .ok, Phrase(verbatim: found))
  }

  /// Enough for two copies of the vault.
  private static let neededBytes = 16 << 20

  private static func disk() -> Finding {
    guard let state = try? UserDirectories.stateHome, let free = Machine.freeBytes(near: state) else {
      return Finding(
        .disk, .warn, Phrase("cannot determine free disk space"), hint: Phrase(verbatim: "df -h ~"))
    }
    return disk(free: free, for: state)
  }

  /// `free` is in bytes.
  static func disk(free: Int, for state: String) -> Finding {
    let text = Phrase("\(free >> 20) MiB free for \(state)")
    guard free < neededBytes else { return Finding(.disk, .ok, text) }
    let hint = Phrase(verbatim: "df -h \(ShellWord.quoted(state))")
    return Finding(.disk, free < neededBytes / 16 ? .fail : .warn, text, hint: hint)
  }

  private static func browser() -> Finding {
    let environment = BrowserEnvironment.current
    let byCode = Phrase("agent login --device")
    guard environment.canOpenBrowser else {
      return Finding(
        .signIn, .ok, Phrase("no browser can be opened here; sign in with a code on another device: \(byCode)"))
    }
    let words = environment.commands(opening: "https://example.com/").compactMap { $0.first }
    guard let program = words.lazy.compactMap({ Spawn.search($0) }).first else {
      return Finding(
        .signIn, .warn, Phrase("no program to open a browser was found: \(words.joined(separator: ", "))"),
        hint: byCode)
    }
    return Finding(.signIn, .ok, Phrase("in a browser, using \(program)"))
  }

  /// Checks the user's systemd unit. `root` prefixes system directories.
  static func service(root: String = "", user: UInt32 = Machine.userID) -> [Finding] {
    guard FileAccess(of: "\(root)/run/systemd/system") != .missing else { return [] }
    let unit = "\(ProgramName.current.text).socket"
    var directories = ["/etc/systemd/user", "/usr/local/lib/systemd/user", "/usr/lib/systemd/user"].map { root + $0 }
    if let data = try? UserDirectories.dataHome(in: Environment.value) {
      directories.insert("\(data)/systemd/user", at: 0)
    }
    if let own = try? UserDirectories.configHome { directories.insert("\(own)/systemd/user", at: 0) }
    guard let directory = directories.first(where: { FileAccess(of: "\($0)/\(unit)") != .missing }) else { return [] }
    var findings: [Finding] = []
    let isEnabled = directories.contains { FileAccess(of: "\($0)/sockets.target.wants/\(unit)") != .missing }
    if let program = programStarted(by: "\(directory)/\(ProgramName.current.text).service"),
      FileAccess(of: program) == .missing
    {
      findings.add(
        .service, .fail, Phrase("\(directory)/\(unit) starts \(program), which does not exist"),
        hint: Phrase("systemctl --user disable --now \(unit)"))
    }
    let text =
      isEnabled ? Phrase("\(unit) is enabled") : Phrase("\(unit) is not enabled; the daemon starts when needed")
    findings.add(.service, .ok, text)
    // Without lingering, the service manager ends with the last login.
    if isEnabled, let name = name(of: user, root), FileAccess(of: "\(root)/var/lib/systemd/linger/\(name)") == .missing
    {
      findings.add(
        .service, .warn, Phrase("the service manager and the daemon end when you log out"),
        hint: Phrase("loginctl enable-linger"))
    }
    return findings
  }

  private static func name(of user: UInt32, _ root: String) -> String? {
    if let entry = UserEntry.of(user, root: root) { return entry.name }
    return Environment.value("USER").flatMap { $0.isEmpty || $0.utf8.contains(UInt8(ascii: "/")) ? nil : $0 }
  }

  private static func programStarted(by unit: String) -> String? {
    guard let bytes = try? FileDescriptor.content(of: unit, limit: 65_536),
      let line = bytes.split(separator: UInt8(ascii: "\n")).first(where: { $0.starts(with: "ExecStart=".utf8) })
    else { return nil }
    return AbsolutePaths.first(in: String(decoding: line, as: UTF8.self))
  }
}

enum AbsolutePaths {
  /// A quoted path may contain blanks.
  static func first(in line: String) -> String? {
    let bytes = Array(line.utf8)
    let stops = Set("\"' \t=!:;,[".utf8)
    guard
      let start = bytes.indices.first(where: {
        bytes[$0] == UInt8(ascii: "/") && ($0 == 0 || stops.contains(bytes[$0 - 1]))
      })
    else { return nil }
    let quote = start > 0 && (bytes[start - 1] == UInt8(ascii: "\"") || bytes[start - 1] == UInt8(ascii: "'"))
    let end = bytes[start...].firstIndex {
      quote ? $0 == bytes[start - 1] : $0 <= 0x20 || "\"';,\\".utf8.contains($0)
    }
    return String(decoding: bytes[start..<(end ?? bytes.count)], as: UTF8.self)
  }
}
