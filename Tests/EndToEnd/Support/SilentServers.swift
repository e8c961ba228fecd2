import Platform
import TestSupport
import Testing

/// Servers that accept connections and never respond, or begin a response and never end it.
final class SilentServers {
  private(set) var ports: [UInt16] = []
  private var listeners: [SharedDescriptor] = []
  private var accepted: [SharedDescriptor] = []
  private let beginning: [UInt8]

  /// - Parameter beginning: The bytes sent on each connection.
  init(_ count: Int, beginning: String = "") throws {
    self.beginning = Array(beginning.utf8)
    // This process needs a descriptor for each server and each connection.
    ResourceLimit.raiseAll()
    for _ in 0..<count {
      let listener = try UnixSocket.listenLoopback(port: 0)
      ports.append(try UnixSocket.localPort(listener))
      listeners.append(SharedDescriptor(listener))
    }
  }

  var urls: [String] { ports.map { "http://127.0.0.1:\($0)" } }

  var connections: Int { accepted.count }

  func await(_ count: Int) throws {
    let deadline = Instant.now.advanced(by: .testLimit)
    while accepted.count < count {
      try #require(Instant.now < deadline, "only \(accepted.count) of \(count) connections come")
      let new = listeners.compactMap { Self.accept($0) }
      let beginning = beginning
      for connection in new { try connection.descriptor.writeAll(beginning.span) }
      accepted += new
      Threads.sleep(for: .milliseconds(5))
    }
  }

  private static func accept(_ listener: SharedDescriptor) -> SharedDescriptor? {
    do {
      let socket = try UnixSocket.accept(listener.descriptor)
      return SharedDescriptor(socket)
    } catch {
      return nil
    }
  }

  func awaitClosing(within limit: Duration = .testLimit) throws {
    let deadline = Instant.now.advanced(by: limit)
    while try !accepted.allSatisfy({ try Self.isClosed($0) }) {
      try #require(Instant.now < deadline, "a connection stays open")
      Threads.sleep(for: .milliseconds(5))
    }
  }

  func areOpen() throws -> Bool { try accepted.allSatisfy { try !Self.isClosed($0) } }

  private static func isClosed(_ connection: SharedDescriptor) throws -> Bool {
    var bytes: [UInt8] = []
    while try connection.descriptor.waitUntilReadable(timeout: .zero) {
      guard let count = try? connection.descriptor.read(into: &bytes, upTo: 4096), count > 0 else { return true }
    }
    return false
  }
}
