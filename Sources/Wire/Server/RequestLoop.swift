package import Platform

/// Responses, time, timers and descriptors for request handlers.
package protocol RequestLoop: AnyObject {
  var now: Instant { get }
  /// Sends an event or a response's final line, unless the request has ended.
  func send(_ reply: Reply, to ticket: Ticket)
  /// Like ``send(_:to:)``, for a final line with a secret.
  func send(_ line: any SecretLine, to ticket: Ticket)
  /// Calls `action` at `due`, or soon if in the past.
  func schedule(at due: Instant, _ action: @escaping () -> Void)
  /// Calls `serve` when the descriptor is ready, until ``unwatch(_:)`` with the returned key.
  func watch(_ descriptor: Int32, for interest: Poller.Interest, _ serve: @escaping () -> Void) throws(SystemError)
    -> UInt64
  func unwatch(_ key: UInt64)
  /// Calls `action` whenever the peer has read all output of a response.
  func whenRead(by ticket: Ticket, _ action: @escaping () -> Void)
  /// The bytes that the request's peer has not read.
  func unreadBytes(by ticket: Ticket) -> Int
  /// Adds a connection with access rules; returns its number. `mayIdle` permits unlimited idling.
  func admit(
    _ descriptor: consuming FileDescriptor, under rules: any ConnectionRules, mayIdle: Bool
  ) throws(SystemError) -> UInt64
  /// Resumes a request suspended by its access rules.
  func resume(with envelope: RequestEnvelope, _ ticket: Ticket, passed: [SharedDescriptor])
  /// Fails and closes all connections with these access rules.
  func dropPeers(of rules: any ConnectionRules, with failure: Failure)
  /// How many requests may wait for one server at a time; nil (no limit) while few peers are connected.
  var maximumPerServer: Int? { get }
  func setDeadline(_ deadline: Instant, of ticket: Ticket)
}

extension RequestLoop {
  package func watch(_ descriptor: Int32, _ serve: @escaping () -> Void) throws(SystemError) -> UInt64 {
    try watch(descriptor, for: .read, serve)
  }

  /// Stops watching; sets the key to nil.
  package func unwatch(_ key: inout UInt64?) {
    if let key { unwatch(key) }
    key = nil
  }
}

package protocol SecretLine: AnyObject {
  var count: Int { get }
  /// Writes from `start` on, without blocking. Returns the number of bytes.
  func write(from start: Int, to descriptor: borrowing FileDescriptor) throws(SystemError) -> Int
}

/// Identifies a request. Never reused, so that a late response cannot reach another request.
package struct Ticket: Sendable, Hashable {
  /// 0 for work without a client.
  package let connection: UInt64
  /// The request's number on its connection.
  package let serial: UInt64

  package init(connection: UInt64, serial: UInt64) {
    self.connection = connection
    self.serial = serial
  }

  package var isInternal: Bool { connection == 0 }

  /// For work without a request.
  package static let noRequest = Ticket(connection: 0, serial: 0)
}
