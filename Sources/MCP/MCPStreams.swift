internal import Encoding
internal import Platform
internal import Wire

/// Reads lines from the client on standard input.
struct MCPInput {
  private let input = SharedDescriptor(FileDescriptor(owning: 0))
  /// The incomplete line.
  private var bytes: [UInt8] = []
  /// Bytes already searched for a line feed.
  private var searched = 0
  /// Whether to skip the rest of an overlong line.
  private var isSkipping = false
  private(set) var hasEnded = false
  /// A regular file is always readable and cannot be polled.
  private(set) var isAlwaysReady = false
  private var isPaused = false

  private static let pieceBytes = 256 << 10

  enum Line {
    case message(MCPMessage)
    /// The ID is null if unknown.
    case invalid(Failure, id: JSON)
  }

  /// Adds standard input to the poller unless it is a file.
  mutating func watch(_ poller: borrowing Poller, key: UInt64) throws(SystemError) {
    do { try poller.add(input.descriptor.raw, interest: .read, key: key) } catch {
      guard error.isPermissionDenied else { throw error }
      isAlwaysReady = true
    }
  }

  mutating func setPaused(_ shouldPause: Bool, _ poller: borrowing Poller, key: UInt64) throws(SystemError) {
    guard shouldPause != isPaused, !isAlwaysReady else { return }
    isPaused = shouldPause
    // Otherwise the end of input would be reported continuously.
    if shouldPause { try poller.remove(input.descriptor.raw) } else { try watch(poller, key: key) }
  }

  /// Reads once. Passes complete lines to `take`.
  mutating func read(_ take: (Line) -> Void) {
    let count: Int
    do { count = try input.descriptor.read(into: &bytes, upTo: Self.pieceBytes) } catch {
      hasEnded = !error.wouldBlock
      return
    }
    if count == 0 {
      hasEnded = true
      bytes.append(0x0A)
    }
    var start = 0
    while let end = bytes[searched...].firstIndex(of: 0x0A) {
      if !isSkipping { parseLine(Array(bytes[start..<end]), take) }
      (isSkipping, start, searched) = (false, end + 1, end + 1)
    }
    bytes.removeFirst(start)
    searched = bytes.count
    guard bytes.count > MCPMessage.maximumBytes else { return }
    if !isSkipping { take(.invalid(MCPMessage.tooLarge, id: MCPMessage.id(ofInvalid: bytes))) }
    isSkipping = true
    bytes.removeAll()
    searched = 0
  }

  /// Skips blank lines.
  private func parseLine(_ line: [UInt8], _ take: (Line) -> Void) {
    guard line.contains(where: { $0 != 0x20 && $0 != 0x0D && $0 != 0x09 }) else { return }
    let message: Line
    do throws(Failure) { message = .message(try MCPMessage(line)) } catch {
      message = .invalid(error, id: MCPMessage.id(ofInvalid: line))
    }
    take(message)
  }
}

/// Writes lines to the client on standard output.
final class MCPOutput {
  /// Whether the client has stopped reading.
  private(set) var isClosed = false
  private let host: any MCPHost

  init(_ host: any MCPHost) { self.host = host }

  func write(_ line: [UInt8]) {
    do throws(Failure) { try host.writeToClient((line + [0x0A]).span) } catch {
      if !isClosed { host.note(error.text) }
      isClosed = true
    }
  }

  func write(_ message: JSONObject) { write(JSON.object(message).serialized()) }

  func fail(_ id: JSON, _ problem: MCPProblem) { write(MCPMessage.error(id, problem)) }
}
