internal import AgentSocket
internal import Encoding
internal import Platform
internal import Wire

/// What the environment and the machine are to a session.
enum MachineCheck {
  /// What is to be looked at before a daemon is started.
  static func before(isPrivate: Bool) -> [Finding] {
    var findings: [Finding] = []
    if let foreign = UserDirectories.foreign {
      findings.append(
        Finding(
          .environment, .fail,
          Phrase("\(foreign.variable) is \(foreign.path), which belongs to another user than root"),
          hint: DaemonLauncher.foreignHint(foreign)))
    } else if (try? UserDirectories.home(in: Environment.value)) == nil {
      findings.append(
        Finding(.environment, .fail, Phrase("HOME is not set, or is no absolute path"), hint: Phrase("set HOME")))
    }
    findings.append(runtimeDirectory())
    if !isPrivate { findings += socket() }
    return findings
  }

  /// What does not depend on the daemon.
  static func after() -> [Finding] { [path(), disk(), signIn()] + service() }

  // MARK: Socket

  private static func runtimeDirectory() -> Finding {
    guard let set = Environment.value("XDG_RUNTIME_DIR"), !set.isEmpty else {
      let own = UserDirectories.runtimeCandidates().first ?? "-"
      return Finding(.directory, .ok, Phrase("XDG_RUNTIME_DIR is not set: \(own) is used"))
    }
    do throws(DirectoryError) {
      _ = try PrivateDirectory(opening: set, create: false)
      return Finding(.directory, .ok, Phrase(verbatim: set))
    } catch {
      // As after su, and under sudo -E.
      return Finding(
        .directory, .warn, Phrase("XDG_RUNTIME_DIR: \(Failure(error).text)"), hint: Phrase("unset XDG_RUNTIME_DIR"))
    }
  }

  private static func socket() -> [Finding] {
    let named: SocketPlace?
    do throws(Failure) { named = try SocketPlace.named(by: Environment.value("AGENT_SOCKET")) } catch {
      return [Finding(.socket, .fail, error.text, hint: Phrase("unset AGENT_SOCKET"))]
    }
    var findings: [Finding] = []
    var daemons: [(path: String, process: Int)] = []
    for place in named.map({ [$0] }) ?? SocketPlace.all {
      do throws(DirectoryError) {
        let directory = try PrivateDirectory(opening: place.directory, create: false)
        guard directory.exists(place.name) else { continue }
      } catch {
        if case .system(let cause, _) = error, cause.isNotFound { continue }
        findings.append(Finding(.socket, .fail, Failure(error)))
        continue
      }
      do throws(Failure) {
        guard var connection = try place.connect(within: 2) else {
          findings.append(Finding(.socket, .ok, Phrase("\(place.path) is left from a daemon that is gone")))
          continue
        }
        try connection.send(RequestEnvelope(.daemonStatus, timeoutSeconds: 2))
        let reply = try connection.nextReply(before: .now.advanced(by: .seconds(2)))
        connection.finish()
        if case .result(let status) = reply, let process = status["pid"]?.int,
          !daemons.contains(where: { $0.process == process })
        {
          daemons.append((place.path, process))
        }
      } catch {
        findings.append(Finding(.socket, .fail, error))
      }
    }
    if let first = daemons.first { findings.insert(Finding(.socket, .ok, Phrase(verbatim: first.path)), at: 0) }
    for other in daemons.dropFirst() {
      findings.append(
        Finding(
          .socket, .warn, Phrase("a second daemon runs, process \(other.process): \(other.path)"),
          hint: Phrase(verbatim: "AGENT_SOCKET=\(ShellWord.quoted(other.path)) agent daemon stop")))
    }
    if let named, daemons.isEmpty, findings.isEmpty {
      findings.append(
        Finding(
          .socket, .warn, Phrase("AGENT_SOCKET is \(named.path), where no daemon listened"),
          hint: Phrase("unset AGENT_SOCKET")))
    }
    return findings
  }

  // MARK: Installation

  private static func path() -> Finding {
    let (name, own) = (ProgramName.current.text, Machine.executablePath())
    guard let found = Spawn.search(name) else {
      return Finding(.path, .ok, Phrase("\(own), which is not on the PATH"))
    }
    if !Spawn.isSame(found, own) {
      return Finding(.path, .warn, Phrase("another program is found first: \(found); this one is \(own)"))
    }
    if let other = Spawn.search(name, except: own) {
      return Finding(.path, .warn, Phrase("another program of this name is on the PATH too: \(other)"))
    }
    return Finding(.path, .ok, Phrase(verbatim: found))
  }

  /// What a write of the vault needs at the most, with room for a second copy.
  private static let neededBytes = 16 << 20

  private static func disk() -> Finding {
    guard let state = try? UserDirectories.stateHome, let free = Machine.freeBytes(near: state) else {
      return Finding(.disk, .warn, Phrase("it cannot be found out how much room there is"))
    }
    let text = Phrase("\(free >> 20) MiB free for \(state)")
    return Finding(.disk, free < neededBytes ? (free < neededBytes / 16 ? .fail : .warn) : .ok, text)
  }

  private static func signIn() -> Finding {
    let place = BrowserPlace.current
    let byCode = Phrase("agent login --device")
    guard place.canOpen else {
      return Finding(.signIn, .ok, Phrase("no browser opens here; with a code on another device: \(byCode)"))
    }
    let words = place.commands(opening: "https://example.com/").compactMap { $0.first }
    guard let program = words.lazy.compactMap({ Spawn.search($0) }).first else {
      return Finding(
        .signIn, .warn, Phrase("no program is there that opens a browser: \(words.joined(separator: ", "))"),
        hint: byCode)
    }
    return Finding(.signIn, .ok, Phrase("in a browser, by \(program)"))
  }

  /// The unit of the service manager, where it is installed.
  private static func service() -> [Finding] {
    guard FileAccess(of: "/run/systemd/system") != .missing else { return [] }
    let unit = "\(ProgramName.current.text).socket"
    var directories = ["/etc/systemd/user", "/usr/local/lib/systemd/user", "/usr/lib/systemd/user"]
    if let data = try? UserDirectories.dataHome(in: Environment.value) {
      directories.insert("\(data)/systemd/user", at: 0)
    }
    if let own = try? UserDirectories.configHome { directories.insert("\(own)/systemd/user", at: 0) }
    guard let place = directories.first(where: { FileAccess(of: "\($0)/\(unit)") != .missing }) else { return [] }
    var findings: [Finding] = []
    let isEnabled = directories.contains { FileAccess(of: "\($0)/sockets.target.wants/\(unit)") != .missing }
    if let program = started(by: "\(place)/\(ProgramName.current.text).service"), FileAccess(of: program) == .missing {
      findings.append(
        Finding(
          .service, .fail, Phrase("\(place)/\(unit) starts \(program), which is not there"),
          hint: Phrase("systemctl --user disable --now \(unit)")))
    }
    let text = isEnabled ? Phrase("\(unit) is enabled") : Phrase("\(unit) is not enabled; the daemon starts at need")
    findings.append(Finding(.service, .ok, text))
    // Without it the manager ends with the last login, and so does what it has started: cron finds no daemon.
    let user = Environment.value("USER") ?? ""
    if isEnabled, !user.isEmpty, !user.utf8.contains(UInt8(ascii: "/")),
      FileAccess(of: "/var/lib/systemd/linger/\(user)") == .missing
    {
      findings.append(
        Finding(
          .service, .warn, Phrase("the service manager ends with the last login, and the daemon with it"),
          hint: Phrase("loginctl enable-linger")))
    }
    return findings
  }

  /// The program of a unit.
  private static func started(by unit: String) -> String? {
    guard let file = try? FileDescriptor(opening: unit, for: .reading), let bytes = try? file.readToEnd(limit: 65_536),
      let line = bytes.split(separator: UInt8(ascii: "\n")).first(where: { $0.starts(with: "ExecStart=".utf8) })
    else { return nil }
    return AbsolutePaths.first(in: String(decoding: line, as: UTF8.self))
  }
}

/// The absolute path of a program in a line of settings.
enum AbsolutePaths {
  /// The first one; in quotes it may hold blanks.
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
