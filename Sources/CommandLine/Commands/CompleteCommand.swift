internal import AgentSocket
internal import Encoding
internal import Platform
internal import Wire

/// `agent __complete`: what a shell asks while a person waits for the answer to a key.
///
/// It asks a daemon that runs and starts none, takes a moment at most, and says nothing when it cannot tell.
enum CompleteCommand {
  private static let patience = Duration.seconds(1)

  @Sendable static func run(_ invocation: Invocation) throws(Failure) -> Int32 {
    guard invocation.operands.first == "accounts", !invocation.has(.noDaemon) else { return 0 }
    let names = ((try? accounts()) ?? []).filter(isPlain)
    try? Console.answer(names.map { $0 + "\n" }.joined())
    return 0
  }

  private static func accounts() throws(Failure) -> [String] {
    guard var connection = try DaemonLauncher.connect() else { return [] }
    let deadline = Instant.now.advanced(by: patience)
    try connection.send(RequestEnvelope(.list, timeoutSeconds: 1))
    let reply = try connection.nextLine(before: deadline) { (line) throws(Failure) in try Reply(parsing: line) }
    connection.finish()
    guard case .result(let result) = reply else { return [] }
    return (result["accounts"]?.array ?? []).compactMap { $0["name"]?.string }
  }

  /// Whether a name holds nothing that a shell could take for more than a word.
  static func isPlain(_ name: String) -> Bool {
    func isLetterOrDigit(_ byte: UInt8) -> Bool {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
    guard let first = name.utf8.first, isLetterOrDigit(first) || first == UInt8(ascii: "_") else { return false }
    return name.utf8.allSatisfy { isLetterOrDigit($0) || "._-".utf8.contains($0) }
  }
}
