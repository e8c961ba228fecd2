internal import CZlib
internal import Crypto

/// Decodes unrequested gzip (RFC 1952) or zlib (RFC 1950) compression, detected by the first bytes.
enum Inflate {
  /// The largest window, and either format.
  private static let windowBits: Int32 = 15 + 32

  /// Returns everything before the first error, at most `limit` bytes; nil if empty.
  static func decode(_ bytes: Span<UInt8>, limit: Int, in arena: SecretArena?) -> SecretBuffer? {
    guard var chunk = try? SecretBytes(zeroed: 8192) else { return nil }
    // zlib compares the address between calls.
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    defer { unsafe stream.deallocate() }
    let size = unsafe Int32(MemoryLayout<z_stream>.size)
    guard unsafe inflateInit2_(stream, windowBits, ZLIB_VERSION, size) == Z_OK else { return nil }
    defer { unsafe inflateEnd(stream) }
    var output = SecretBuffer(capacity: 4 * bytes.count, limit: limit, in: arena)
    unsafe bytes.withUnsafeBufferPointer { input in
      unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
      unsafe stream.pointee.avail_in = UInt32(input.count)
      var status = Z_OK
      while status == Z_OK, output.count < limit {
        chunk.withMutableBytes { free in
          unsafe free.withUnsafeMutableBufferPointer { free in
            unsafe stream.pointee.next_out = free.baseAddress
            unsafe stream.pointee.avail_out = UInt32(free.count)
            status = unsafe inflate(stream, Z_NO_FLUSH)
          }
        }
        let count = min(chunk.count - Int(unsafe stream.pointee.avail_out), limit - output.count)
        chunk.withBytes { output.append(contentsOf: $0.extracting(0..<count)) }
      }
    }
    guard output.count > 0 else { return nil }
    return output
  }
}
