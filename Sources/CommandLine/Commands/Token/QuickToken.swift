internal import Platform
internal import Wire

/// Runs `agent token [ACCOUNT]` without options, like ``TokenCommand``, but only in stack memory: in a static program,
/// each array type's first use costs thousands of instructions and several page faults.
enum QuickToken {
  enum Outcome {
    case printed
    case failed(Failure)
    /// Nothing was printed. Use the general implementation.
    case unusual
  }

  /// In bytes. A longer response is ``Outcome/unusual``.
  private static let answerCapacity = 4096

  static func run() -> Outcome {
    guard let account = unsafe QuickArguments.account, !Environment.isSet("AGENT_SOCKET"),
      !Environment.isSet("AGENT_ACCOUNT"), !Terminal.isTerminal(1)
    else { return .unusual }
    do {
      guard
        let socket = try UnixSocket.connectInSession(
          name: WireProtocol.socketName, seconds: WireProtocol.defaultTimeoutSeconds),
        (try? UnixSocket.peerUserID(socket)) == Machine.userID
      else { return .unusual }
      return unsafe ask(socket, account)
    } catch {
      return .failed(.queueFull)
    }
  }

  private static func ask(_ socket: borrowing FileDescriptor, _ account: UnsafeBufferPointer<UInt8>) -> Outcome {
    Signals.ignoreFailingWrites()
    return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: answerCapacity) { buffer in
      unsafe buffer.initialize(repeating: 0)
      defer { unsafe buffer.update(repeating: 0) }
      var text = unsafe StackText(buffer)
      return unsafe ask(socket, account, &text)
    }
  }

  private static func ask(
    _ socket: borrowing FileDescriptor, _ account: UnsafeBufferPointer<UInt8>, _ text: inout StackText
  ) -> Outcome {
    text.append(WireProtocol.tokenRequestStart)
    if account.isEmpty {
      text.append(WireProtocol.emptyDirectory)
    } else {
      text.append(",\"account\":\"")
      text.append(unsafe account.span)
      text.append("\"")
    }
    switch exchange(socket, &text) {
    case .failed(let failure) where failure.code == .directoryNeeded && account.isEmpty:
      text.removeAll()
      text.append(WireProtocol.tokenRequestStart)
      guard text.appendDirectory() else { return .unusual }
      return exchange(socket, &text)
    case let outcome: return outcome
    }
  }

  private static func exchange(_ socket: borrowing FileDescriptor, _ text: inout StackText) -> Outcome {
    text.append("}\n")
    guard (try? text.send(over: socket)) != nil else { return .unusual }
    let deadline = Instant.now.advanced(by: .seconds(WireProtocol.defaultTimeoutSeconds + 5))
    while !text.isWholeLine {
      guard (try? DaemonWait.forServer.wait(for: socket, before: deadline)) == true,
        let count = try? text.read(from: socket), count > 0
      else { return .unusual }
    }
    guard let token = text.accessToken else {
      // For an ending daemon or missing variables, use the general implementation.
      guard let failure = text.failure, failure.code != .daemonUnavailable, failure.variables.isEmpty,
        !SignInOffer.isPossible(after: failure)
      else { return .unusual }
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

private enum QuickArguments {
  /// The account in `token [ACCOUNT]`; empty if omitted, nil for other command lines.
  static var account: UnsafeBufferPointer<UInt8>? {
    guard let program = unsafe Processes.argument(0), unsafe !mayBeHelperName(program.span),
      let command = unsafe Processes.argument(1), unsafe isToken(command.span), unsafe Processes.argument(3) == nil
    else { return nil }
    guard let account = unsafe Processes.argument(2) else { return unsafe UnsafeBufferPointer(start: nil, count: 0) }
    return unsafe WireProtocol.isAccountName(account.span) ? account : nil
  }

  private static func isToken(_ word: Span<UInt8>) -> Bool {
    guard word.count == 5 else { return false }
    for (index, byte) in "token".utf8.enumerated() where word[index] != byte { return false }
    return true
  }

  /// Whether the program's name is as long as `keyring`, or long enough for another helper's.
  private static func mayBeHelperName(_ path: Span<UInt8>) -> Bool {
    var length = 0
    for index in path.indices { length = path[index] == UInt8(ascii: "/") ? 0 : length + 1 }
    return length == 7 || length > 15
  }
}

/// A buffer for the request and response of ``QuickToken``, in borrowed memory.
@safe struct StackText: ~Copyable {
  private let buffer: UnsafeMutableBufferPointer<UInt8>
  private(set) var count = 0

  /// The memory must be initialized and outlive this value.
  init(_ buffer: UnsafeMutableBufferPointer<UInt8>) {
    unsafe self.buffer = buffer
  }

  /// Appends text. Drops bytes that do not fit.
  mutating func append(_ text: String) { for byte in text.utf8 { append(byte) } }

  mutating func append(_ text: Span<UInt8>) { for index in text.indices { append(text[index]) } }

  private mutating func append(_ byte: UInt8) {
    guard count < capacity else { return }
    unsafe buffer[count] = byte
    count += 1
  }

  /// Adds the working directory; false if it is unknown, too long, or needs escapes.
  mutating func appendDirectory() -> Bool {
    append(WireProtocol.directoryStart)
    let start = count
    guard Machine.withCurrentDirectory({ append($0) }) != nil, count + 3 < capacity else { return false }
    append("\"")
    return plainString(at: start - 1)?.upperBound == count - 1
  }

  mutating func removeAll() { count = 0 }

  mutating func send(over socket: borrowing FileDescriptor) throws(SystemError) {
    try socket.writeAll(unsafe UnsafeBufferPointer(rebasing: buffer[..<count]).span)
    removeAll()
  }

  /// Reads once; returns the number of bytes, 0 at the end or if full.
  mutating func read(from socket: borrowing FileDescriptor) throws(SystemError) -> Int {
    guard count < capacity else { return 0 }
    let free = unsafe UnsafeMutableBufferPointer(rebasing: buffer[count...])
    var space = unsafe free.mutableSpan
    let got = try socket.read(into: &space)
    count += got
    return got
  }

  var isWholeLine: Bool { count > 0 && byte(at: count - 1) == UInt8(ascii: "\n") }

  /// The failure that the line reports, or why it is invalid; nil for a token.
  var failure: Failure? {
    do {
      _ = try TokenAnswer(parsing: unsafe UnsafeBufferPointer(rebasing: buffer[..<(count - 1)]).span)
      return nil
    } catch {
      return error
    }
  }

  mutating func print(_ range: Range<Int>) throws(SystemError) {
    unsafe buffer[range.upperBound] = UInt8(ascii: "\n")
    let line = unsafe UnsafeBufferPointer(rebasing: buffer[range.lowerBound...range.upperBound])
    try Output.write(unsafe line.span, to: .standardOutput)
  }

  private var capacity: Int { unsafe buffer.count }

  private func byte(at index: Int) -> UInt8 { unsafe buffer[index] }

  /// The access token's range; nil unless the line is a flat object of plain strings and numbers with a printable
  /// token.
  var accessToken: Range<Int>? {
    let (start, member) = (WireProtocol.resultStart, WireProtocol.accessTokenMember)
    let notice = WireProtocol.signInMember
    guard has(start, at: 0) else { return nil }
    var index = start.utf8.count
    while let name = plainString(at: index), name.upperBound + 2 < count,
      byte(at: name.upperBound + 1) == UInt8(ascii: ":")
    {
      let isToken = name.count == member.utf8.count && has(member, at: name.lowerBound)
      // The general implementation prints the notice.
      if name.count == notice.utf8.count, has(notice, at: name.lowerBound) { return nil }
      index = name.upperBound + 2
      if let value = plainString(at: index) {
        if isToken { return isHeaderSafe(value) ? value : nil }
        index = value.upperBound + 1
      } else {
        while index < count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte(at: index)) { index += 1 }
      }
      guard index < count, byte(at: index) == UInt8(ascii: ",") else { return nil }
      index += 1
    }
    return nil
  }

  /// True for a non-empty token without spaces (RFC 6750, section 2.1).
  private func isHeaderSafe(_ range: Range<Int>) -> Bool {
    for index in range where byte(at: index) == UInt8(ascii: " ") { return false }
    return !range.isEmpty
  }

  /// The content of the string at `index`, if it is ASCII without controls and escapes.
  private func plainString(at index: Int) -> Range<Int>? {
    guard index < count, byte(at: index) == UInt8(ascii: "\"") else { return nil }
    var end = index + 1
    while end < count, byte(at: end) != UInt8(ascii: "\"") {
      guard (0x20...0x7E).contains(byte(at: end)), byte(at: end) != UInt8(ascii: "\\") else { return nil }
      end += 1
    }
    return end < count ? (index + 1)..<end : nil
  }

  private func has(_ text: String, at start: Int) -> Bool {
    var index = start
    for expected in text.utf8 {
      guard index < count, byte(at: index) == expected else { return false }
      index += 1
    }
    return true
  }
}
