internal import CCurl
internal import Crypto
internal import Encoding
internal import OAuth

/// A request's header lines as a list for libcurl, wiped at the end.
@safe struct HeaderList: ~Copyable {
  private var head: UnsafeMutablePointer<curl_slist>?

  init() { unsafe head = nil }

  deinit { unsafe agent_curl_wipe_and_free_list(head) }

  /// Adds a field. An empty value removes libcurl's default field.
  mutating func append(_ name: String, _ value: String) throws(HTTPFailure) {
    let bytes = value.utf8
    try append(name, bytes.span)
  }

  /// Adds a field even if empty.
  mutating func append(present name: String, _ value: String) throws(HTTPFailure) {
    if !value.isEmpty { return try append(name, value) }
    var line = SecretBuffer(capacity: name.utf8.count + 2)
    line.append(utf8: name)
    // libcurl's notation for an empty value.
    line.append(utf8: ";")
    line.append(0)
    try append(line: line)
  }

  /// Adds a field with a possibly secret value. Throws `memory`, or `setup` if the value contains a line break or zero
  /// byte.
  mutating func append(_ name: String, _ value: Span<UInt8>) throws(HTTPFailure) {
    for index in value.indices where value[index] == 0 || value[index] == 0x0D || value[index] == 0x0A {
      throw HTTPFailure(.setup)
    }
    var line = SecretBuffer(capacity: name.utf8.count + value.count + 3)
    line.append(utf8: name)
    line.append(utf8: value.isEmpty ? ":" : ": ")
    line.append(contentsOf: value)
    line.append(0)
    try append(line: line)
  }

  borrowing func withList<R>(
    _ body: (UnsafeMutablePointer<curl_slist>?) throws(HTTPFailure) -> R
  ) throws(HTTPFailure) -> R {
    try unsafe body(head)
  }

  private mutating func append(line: borrowing SecretBuffer) throws(HTTPFailure) {
    let longer = unsafe line.withBytes { bytes in
      unsafe bytes.withUnsafeBytes { buffer -> UnsafeMutablePointer<curl_slist>? in
        guard let start = buffer.baseAddress else { return nil }
        return unsafe curl_slist_append(head, start.assumingMemoryBound(to: CChar.self))
      }
    }
    guard let longer = unsafe longer else { throw HTTPFailure(.memory) }
    unsafe head = longer
  }
}
