internal import CCurl
internal import Crypto
internal import OAuth

// The setters throw `setup` if libcurl rejects a value.
extension CurlHandle {
  func set(_ option: CURLoption, _ value: Int) throws(HTTPFailure) {
    try check(unsafe agent_curl_set_number(easy, option, value))
  }

  func set(_ option: CURLoption, _ value: Bool) throws(HTTPFailure) { try set(option, value ? 1 : 0) }

  func set(_ option: CURLoption, _ value: String?) throws(HTTPFailure) {
    guard let value else { return try check(unsafe agent_curl_set_text(easy, option, nil)) }
    guard !value.utf8.contains(0) else { throw HTTPFailure(.setup) }
    try check(unsafe value.withCString { unsafe agent_curl_set_text(easy, option, $0) })
  }

  /// libcurl copies the bytes up to the first zero.
  func set(_ option: CURLoption, secret: borrowing SecretBytes) throws(HTTPFailure) {
    var text = SecretBuffer(capacity: secret.count + 1)
    secret.withBytes { text.append(contentsOf: $0) }
    text.append(0)
    guard text.count == secret.count + 1 else { throw HTTPFailure(.memory) }
    let result = text.withBytes { bytes in
      unsafe bytes.withUnsafeBytes {
        unsafe agent_curl_set_text(easy, option, $0.baseAddress?.assumingMemoryBound(to: CChar.self))
      }
    }
    try check(result)
  }

  func set(_ option: CURLoption, blob: [UInt8]) throws(HTTPFailure) {
    let result = unsafe blob.withUnsafeBytes { bytes -> CURLcode in
      guard let start = bytes.baseAddress else { return CURLE_BAD_FUNCTION_ARGUMENT }
      return unsafe agent_curl_set_blob(easy, option, start, bytes.count)
    }
    try check(result)
  }

  func check(_ result: CURLcode) throws(HTTPFailure) {
    guard result == CURLE_OK else { throw HTTPFailure(.setup) }
  }
}

extension Duration {
  /// Milliseconds for libcurl, rounded up, from 1 (0 means no limit) to 24 days.
  var wholeMilliseconds: Int {
    let (seconds, attoseconds) = components
    if seconds < 0 { return 1 }
    let limit = Int(Int32.max)
    guard seconds < limit / 1000 else { return limit }
    return max(1, Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
  }
}
