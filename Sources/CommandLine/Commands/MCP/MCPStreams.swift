internal import Encoding
internal import Platform
internal import Wire

/// The lines of the client, from standard input.
struct MCPInput {
  private let input = SharedDescriptor(FileDescriptor(owning: 0))
  private var bytes: [UInt8] = []
  private var searched = 0
  /// The rest of a line that is too long is left out.
  private var skips = false
  private(set) var hasEnded = false
  /// A file cannot be waited for, and is always ready.
  private(set) var isAlwaysReady = false
  private var isPaused = false

  private static let pieceBytes = 256 << 10

  enum Line {
    case message(MCPMessage)
    /// No message; with the id of the request that it could be, or null.
    case refused(Failure, id: JSON)
  }

  mutating func watch(_ poller: borrowing Poller, key: UInt64) throws(SystemError) {
    do { try poller.add(input.descriptor.raw, interest: .read, key: key) } catch {
      guard error.isPermissionDenied else { throw error }
      isAlwaysReady = true
    }
  }

  /// Has the input wait, or go on.
  mutating func pause(_ pauses: Bool, _ poller: borrowing Poller, key: UInt64) throws(SystemError) {
    guard pauses != isPaused, !isAlwaysReady else { return }
    isPaused = pauses
    // Its end would be reported all the time.
    if pauses { try poller.remove(input.descriptor.raw) } else { try watch(poller, key: key) }
  }

  /// Reads once, and passes on each line that is complete.
  mutating func read(_ take: (Line) -> Void) {
    let count: Int
    do { count = try input.descriptor.read(into: &bytes, upTo: Self.pieceBytes) } catch {
      hasEnded = !error.isAgain
      return
    }
    if count == 0 {
      hasEnded = true
      // The last line may lack its end.
      bytes.append(0x0A)
    }
    var start = 0
    while let end = bytes[searched...].firstIndex(of: 0x0A) {
      if !skips { pass(Array(bytes[start..<end]), take) }
      (skips, start, searched) = (false, end + 1, end + 1)
    }
    bytes.removeFirst(start)
    searched = bytes.count
    guard bytes.count > MCPMessage.mostBytes else { return }
    if !skips { take(.refused(MCPMessage.tooLarge, id: MCPMessage.id(ofRefused: bytes))) }
    skips = true
    bytes.removeAll()
    searched = 0
  }

  private func pass(_ line: [UInt8], _ take: (Line) -> Void) {
    guard line.contains(where: { $0 != 0x20 && $0 != 0x0D && $0 != 0x09 }) else { return }
    let message: Line
    do throws(Failure) { message = .message(try MCPMessage(line)) } catch {
      message = .refused(error, id: MCPMessage.id(ofRefused: line))
    }
    take(message)
  }
}

/// The lines for the client, on standard output, which has nothing else.
final class MCPOutput {
  /// The client reads no more.
  private(set) var isClosed = false
  private let console: Console

  init(_ console: Console) { self.console = console }

  func write(_ line: [UInt8]) {
    do throws(Failure) { try Console.answer((line + [0x0A]).span) } catch {
      if !isClosed { console.note(error.text) }
      isClosed = true
    }
  }

  func write(_ message: JSONObject) { write(JSON.object(message).serialized()) }

  /// Answers a request by an error.
  func fail(_ id: JSON, _ problem: MCPProblem) { write(MCPMessage.error(id, problem)) }
}
