internal import Encoding
internal import Platform
internal import Wire

/// The session that `ssh` would start, according to `ssh -G`.
struct SSHTarget {
  /// The user and host, with any port other than 22.
  let host: String
  /// False if `ssh` runs a subsystem, the `RemoteCommand` of its configuration, or nothing.
  let startsProgram: Bool
  /// Whether `ssh` requests a terminal only for a shell (`RequestTTY` is `auto`).
  let asksForTerminal: Bool

  init(_ ssh: InstalledProgram, _ words: [String]) throws(Failure) {
    let result: InstalledProgram.Result
    do { result = try ssh.run(["-G"] + words, showsErrors: true, directory: nil) } catch {
      throw Failure(error, doing: "cannot run ssh")
    }
    guard result.succeeded else { throw Failure(.invalidRequest, "ssh does not accept these arguments") }
    var values: [String: String] = [:]
    for line in result.output.split(separator: UInt8(ascii: "\n")) {
      let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 1).map { String(decoding: $0, as: UTF8.self) }
      if parts.count == 2 { values[parts[0]] = parts[1] }
    }
    let port = values["port"].flatMap { $0 == "22" ? nil : ":\($0)" } ?? ""
    host = TerminalText.clean("\(values["user"] ?? "")@\(values["hostname"] ?? "")\(port)", limit: 300)
    startsProgram =
      ["default", nil].contains(values["sessiontype"]) && ["none", nil].contains(values["remotecommand"])
    asksForTerminal = ["auto", nil].contains(values["requesttty"])
  }
}

/// The arguments of `ssh`, split before the host's command.
struct SSHArguments {
  /// The options and destination.
  let connection: [[UInt8]]
  let command: [[UInt8]]

  /// The letters of options with a value (`ssh(1)`).
  private static let lettersWithValue = Set("BbcDEeFIiJLlmOoPpQRSWw".utf8)

  /// Splits like `ssh`: options may follow the destination.
  init(_ words: [[UInt8]]) {
    var (index, hasDestination) = (0, false)
    while index < words.count {
      let word = words[index]
      if word.elementsEqual("--".utf8) {
        index += 1
        if hasDestination { break }
        (hasDestination, index) = (true, index + 1)
      } else if word.count > 1, word[0] == UInt8(ascii: "-") {
        let letter = word.dropFirst().firstIndex { Self.lettersWithValue.contains($0) }
        index += letter == word.count - 1 ? 2 : 1
      } else if hasDestination {
        break
      } else {
        (hasDestination, index) = (true, index + 1)
      }
    }
    index = min(index, words.count)
    (connection, command) = (Array(words[..<index]), Array(words[index...]))
  }
}
