internal import CCurl
internal import Crypto
internal import OAuth

extension CurlHandle {
  /// Sends the prepared request with its secrets. Returns after the complete response.
  func send(_ request: borrowing HTTPRequest, _ exchange: any RunningExchange) throws(HTTPFailure) {
    var lines = HeaderList()
    try lines.append("Accept", request.accept)
    // Without it, a server may use any coding (RFC 9110 section 12.5.3).
    try lines.append("Accept-Encoding", "identity")
    // Sends the body without waiting for "100 Continue".
    try lines.append("Expect", "")
    if request.isJSON { try lines.append("Content-Type", "application/json") }
    try request.authorization?.withBytes { (value) throws(HTTPFailure) in try lines.append("Authorization", value) }
    if let proof = request.proof { try lines.append("DPoP", proof) }
    if let tag = request.ifNoneMatch { try lines.append("If-None-Match", tag) }
    guard request.method == .post else {
      try set(CURLOPT_HTTPGET, true)
      if request.method == .delete { try set(CURLOPT_CUSTOMREQUEST, "DELETE") }
      return try run(exchange, lines)
    }
    switch request.form {
    case .some(let form):
      try form.withBytes { (form) throws(HTTPFailure) in
        try unsafe form.withUnsafeBytes { (form) throws(HTTPFailure) in
          try unsafe setBody(form)
          try run(exchange, lines)
        }
      }
    case .none: throw HTTPFailure(.setup)
    }
  }

  /// libcurl keeps the pointer until the reset.
  private func setBody(_ form: UnsafeRawBufferPointer) throws(HTTPFailure) {
    let nothing: StaticString = ""
    let start = unsafe form.baseAddress ?? UnsafeRawPointer(nothing.utf8Start)
    try set(CURLOPT_POST, true)
    try check(unsafe agent_curl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(form.count)))
    try check(unsafe agent_curl_set_text(easy, CURLOPT_POSTFIELDS, start.assumingMemoryBound(to: CChar.self)))
  }
}
