internal import Platform
internal import Wire

/// `agent token [ACCOUNT]` without options, the call that scripts make most.
///
/// It says and does what ``TokenCommand`` does, on the stack alone: no array, no table, no tree of
/// values. Each type of array costs a static program some ten thousand instructions and several page
/// faults at its first use, and those are what a cached token's time consists of. Whatever is unusual
/// is left to the general way, before anything is asked or printed.
enum QuickToken {
  /// The end of an attempt.
  enum Outcome {
    /// The token is printed.
    case printed
    /// The daemon said no.
    case failed(Failure)
    /// Nothing was printed; the general way deals with it.
    case unusual
  }

  /// An answer with a usual token fits; a longer one goes the general way.
  private static let answerCapacity = 4096

  static func run() -> Outcome {
    guard let account = QuickArguments.account, let directory = UserDirectories.sessionRuntimeDirectory,
      isUnset("AGENT_SOCKET"), isUnset("AGENT_ACCOUNT"),
      let place = try? PrivateDirectory(opening: directory, create: false),
      let socket = try? UnixSocket.connect(in: place, name: WireProtocol.socketName),
      (try? UnixSocket.peerUserID(socket)) == Machine.userID
    else { return .unusual }
    Signals.ignoreBrokenPipe()
    return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: answerCapacity) { buffer in
      unsafe buffer.initialize(repeating: 0)
      defer { unsafe buffer.update(repeating: 0) }
      var text = unsafe StackText(buffer)
      return ask(socket, account, &text)
    }
  }

  private static func isUnset(_ variable: String) -> Bool {
    (Environment.value(variable) ?? "").isEmpty
  }

  private static func ask(_ socket: borrowing FileDescriptor, _ account: String, _ text: inout StackText) -> Outcome {
    text.append("{\"v\":1,\"request\":\"token\"")
    if !account.isEmpty {
      text.append(",\"account\":\"")
      text.append(account)
      text.append("\"")
    }
    text.append("}\n")
    guard (try? text.send(over: socket)) != nil else { return .unusual }
    let deadline = Instant.now.advanced(by: .seconds(WireProtocol.defaultTimeoutSeconds + 5))
    while !text.isWholeLine {
      guard (try? Patience.forServer.wait(for: socket, before: deadline)) == true,
        let count = try? text.read(from: socket), count > 0
      else { return .unusual }
    }
    guard let token = text.accessToken else {
      // A daemon that is just ending: the general way asks the next one.
      guard let failure = text.failure, failure.code != .daemonUnavailable else { return .unusual }
      return .failed(failure)
    }
    do {
      try text.print(token)
      return .printed
    } catch {
      return .failed(Console.unwritable(error))
    }
  }
}

/// This program's arguments, looked at where they are.
private enum QuickArguments {
  /// The account of `token [ACCOUNT]`, empty when none is named; nil when the line is any other.
  static var account: String? {
    let count = Swift.CommandLine.argc
    let arguments = unsafe Swift.CommandLine.unsafeArgv
    guard count == 2 || count == 3, let command = unsafe arguments[1], unsafe String(cString: command) == "token"
    else { return nil }
    guard count == 3, let operand = unsafe arguments[2] else { return "" }
    let account = unsafe String(cString: operand)
    let bytes = account.utf8
    let isPlain = bytes.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    guard isPlain, (1...64).contains(bytes.count), bytes.first != UInt8(ascii: "-") else { return nil }
    return account
  }
}
