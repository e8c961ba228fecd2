internal import CPlatform
internal import Glibc

extension UnixSocket {
  /// Sends everything over a blocking socket, without `SIGPIPE`. Throws `EPIPE` if the other end is closed, `EAGAIN`
  /// after the socket's timeout; a part may have been sent.
  package static func sendAll(_ bytes: Span<UInt8>, over socket: borrowing FileDescriptor) throws(SystemError) {
    let number = socket.raw
    try unsafe bytes.withUnsafeBytes { (bytes) throws(SystemError) in
      var sent = 0
      while sent < bytes.count {
        sent += try SystemCall.libc("send") {
          unsafe Glibc.send(number, bytes.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
        }
      }
    }
  }

  /// Sends bytes and, with the first byte, a descriptor (`SCM_RIGHTS`). Returns the number of bytes.
  package static func send(
    _ bytes: Span<UInt8>, passing descriptor: Int32, over socket: borrowing FileDescriptor
  ) throws(SystemError) -> Int {
    let number = socket.raw
    let result = unsafe bytes.withUnsafeBytes {
      unsafe agent_send_descriptor(number, $0.baseAddress!, $0.count, descriptor)
    }
    guard result >= 0 else { throw SystemError(errno: Int32(-result), operation: "sendmsg") }
    return result
  }

  /// Like ``FileDescriptor/read(into:upTo:)``, but also receives a descriptor into `passed`, if one was sent. If
  /// `waits` is false, throws `EAGAIN` instead of waiting.
  package static func receive(
    _ socket: borrowing FileDescriptor, into buffer: inout [UInt8], upTo count: Int, waits: Bool = true,
    passed: inout SharedDescriptor?
  ) throws(SystemError) -> Int {
    var raw: Int32 = -1
    var result = 0
    let number = socket.raw
    buffer.append(addingCapacity: count) { free in
      unsafe free.withUnsafeMutableBufferPointer { (bytes, filled) in
        result = unsafe agent_receive_descriptor(number, bytes.baseAddress!, count, waits ? 1 : 0, &raw)
        filled = max(0, result)
      }
    }
    if raw >= 0 { passed = SharedDescriptor(FileDescriptor(owning: raw)) }
    guard result >= 0 else { throw SystemError(errno: Int32(-result), operation: "recvmsg") }
    return result
  }
}
