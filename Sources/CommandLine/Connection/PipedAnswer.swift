internal import Encoding
internal import Platform
internal import Wire

/// A response whose content arrives through a pipe.
struct PipedAnswer: ~Copyable {
  private let client: DaemonClient
  private let pipe: FileDescriptor

  /// `pipe` is the reading end. The daemon has the only writing end.
  init(_ client: DaemonClient, from pipe: consuming FileDescriptor) {
    self.client = client
    self.pipe = pipe
  }

  /// Waits for the complete content and the daemon's result, while the daemon responds. `total` returns the content's
  /// length, if the result has it. `typed` is user input, nil at its end. `pass` forwards content and returns its
  /// length, nil at the end.
  func receive(
    over connection: inout DaemonConnection, total: (JSONObject) -> Int?, sending typed: inout TypedTokens?,
    pass: (borrowing FileDescriptor) throws(Failure) -> Int?
  ) throws(Failure) -> JSONObject {
    var passed = 0
    let last = try forward(&connection, &typed) { () throws(Failure) in
      guard let count = try pass(pipe) else { return false }
      passed += count
      return true
    }
    let result: JSONObject
    do throws(Failure) { result = try last.get() } catch {
      // Forward content that arrived before the failure.
      while try pass(pipe) != nil {}
      throw error
    }
    guard let total = total(result) else { throw Reply.unreadable }
    while passed < total {
      guard let count = try pass(pipe) else {
        throw Failure(.daemonUnavailable, "the daemon ended before the answer was complete")
      }
      passed += count
    }
    return result
  }

  static func convertingReadErrors<Value: ~Copyable>(_ body: () throws(SystemError) -> Value) throws(Failure) -> Value {
    do { return try body() } catch { throw Failure(error, doing: "cannot read the answer") }
  }

  /// `pass` returns false at the content's end.
  private func forward(
    _ connection: inout DaemonConnection, _ typed: inout TypedTokens?, _ pass: () throws(Failure) -> Bool
  ) throws(Failure) -> Result<JSONObject, Failure> {
    let poller = try Self.convertingReadErrors { () throws(SystemError) in
      let poller = try Poller()
      try poller.add(pipe.raw, interest: .read, key: 0)
      try poller.add(connection.descriptor, interest: .read, key: 1)
      if let typed { try poller.add(typed.raw, interest: .read, key: 2) }
      return poller
    }
    func passReady() throws(Failure) {
      if try Self.convertingReadErrors({ () throws(SystemError) in try pipe.waitUntilReadable(timeout: .zero) }) {
        _ = try pass()
      }
    }
    let isWorking = client.responseCheck(of: connection)
    while true {
      if let last = try takeResult(&connection) { return last }
      let events = try Self.convertingReadErrors { () throws(SystemError) in try poller.wait(until: client.nextCheck) }
      if events.isEmpty, !isWorking() { throw .noAnswerInTime }
      for event in events {
        switch event.key {
        case 1: try connection.readMore()
        case 2:
          if let terminal = typed?.raw, try typed?.pass(whileFull: passReady) == false {
            try? poller.remove(terminal)
            typed = nil
          }
        default: if try !pass() { try? poller.remove(pipe.raw) }
        }
      }
    }
  }

  private func takeResult(_ connection: inout DaemonConnection) throws(Failure) -> Result<JSONObject, Failure>? {
    while let reply = try connection.takeReply() {
      switch reply {
      case .result(let result): return .success(result)
      case .failure(let failure): return .failure(failure)
      case .event(let event): client.console.report(event)
      }
    }
    return nil
  }
}
