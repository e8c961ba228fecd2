internal import CPlatform
internal import Glibc

/// This process.
package enum Processes {
  /// Ends this process with `status`.
  package static func exit(_ status: Int32) -> Never { Glibc.exit(status) }

  /// The arguments of this process, its own name first. Bytes that are not UTF-8 are repaired.
  package static var arguments: [String] {
    var arguments: [String] = []
    while let bytes = unsafe argument(arguments.count) {
      unsafe arguments.append(String(decoding: bytes, as: UTF8.self))
    }
    return arguments
  }

  /// The bytes of an argument of this process, valid until it ends; its own name is the first. nil past the last one.
  package static func argument(_ index: Int) -> UnsafeBufferPointer<UInt8>? {
    guard let text = unsafe agent_argument(Int32(clamping: index)) else { return nil }
    let bytes = unsafe UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self)
    return unsafe UnsafeBufferPointer(start: bytes, count: strlen(text))
  }
}

/// The end of a process.
package enum ProcessStatus: Hashable, Sendable {
  /// It returned or called `exit` with this status, 0 to 255.
  case exited(Int32)
  /// This signal ended it.
  case signalled(Int32)

  /// The status that shells report: the signal's number plus 128.
  package var shellStatus: Int32 {
    switch self {
    case .exited(let status): status
    case .signalled(let signal): 128 + signal
    }
  }
}
