internal import Platform

/// Transfers bytes to and from a child without waiting for one stream while another is full.
struct Transfer {
  /// In bytes, for each output stream.
  static let limit = 64 << 20

  private var input: ArraySlice<UInt8>
  private(set) var output: [UInt8] = []
  private(set) var error: [UInt8] = []

  init(input: [UInt8]) { self.input = input[...] }

  /// Writes as much as the child accepts now, and closes its input after the last byte.
  mutating func send(to child: inout Child) throws(SystemError) {
    guard child.input != nil else { return }
    do {
      while !input.isEmpty {
        let piece = Array(input.prefix(65_536))
        guard let count = try child.input?.write(piece.span) else { return }
        input = input.dropFirst(count)
      }
    } catch {
      if error.wouldBlock { return }
      // The child has closed its input without reading the rest.
      guard error.isDisconnected else { throw error }
    }
    child.closeInput()
  }

  /// Returns false at the end of the stream.
  mutating func receiveOutput(from child: borrowing Child) throws -> Bool {
    try Transfer.receive(child.output, &output)
  }

  /// Returns false at the end of the stream.
  mutating func receiveError(from child: borrowing Child) throws -> Bool {
    try Transfer.receive(child.error, &error)
  }

  private static func receive(_ stream: borrowing FileDescriptor, _ buffer: inout [UInt8]) throws -> Bool {
    do {
      while try stream.read(into: &buffer, upTo: 65_536) > 0 {
        if buffer.count > limit { throw ProcessFailure.tooMuchOutput }
      }
      return false
    } catch let error as SystemError where error.wouldBlock {
      return true
    }
  }
}
