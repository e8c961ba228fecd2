internal import CCurl
internal import Crypto
internal import OAuth

extension CurlHandle {
  /// Sends the request that was prepared, with its secrets, and waits for the whole response.
  func send(_ request: borrowing HTTPRequest, into exchange: inout Exchange) throws(HTTPFailure) {
    var lines = HeaderList()
    try lines.append("Accept", request.accept)
    // Never wait for "100 Continue" before the body.
    try lines.append("Expect", "")
    if request.isJSON { try lines.append("Content-Type", "application/json") }
    try Self.appendAuthorization(of: request, to: &lines)
    if let proof = request.proof { try lines.append("DPoP", proof) }
    if let tag = request.ifNoneMatch { try lines.append("If-None-Match", tag) }
    // The lines, the body and the exchange are lent to the library until the reset.
    try unsafe lines.withList { (list) throws(HTTPFailure) in
      defer { reset() }
      try check(unsafe agent_curl_set_list(easy, CURLOPT_HTTPHEADER, list))
      try unsafe withUnsafeMutablePointer(to: &exchange) { (exchange) throws(HTTPFailure) in
        try unsafe setCallbacks(exchange)
        try lendingClientKey(of: request.transport) { () throws(HTTPFailure) in
          try unsafe sendBody(of: request, exchange)
        }
      }
    }
  }

  private static func appendAuthorization(
    of request: borrowing HTTPRequest, to lines: inout HeaderList
  ) throws(HTTPFailure) {
    switch request.authorization {
    case .some(let value):
      try value.withBytes { (value) throws(HTTPFailure) in try lines.append("Authorization", value) }
    case .none: break
    }
  }

  private func sendBody(
    of request: borrowing HTTPRequest, _ exchange: UnsafeMutablePointer<Exchange>
  ) throws(HTTPFailure) {
    guard request.method == .post else {
      try set(CURLOPT_HTTPGET, true)
      if request.method == .delete { try set(CURLOPT_CUSTOMREQUEST, "DELETE") }
      return try unsafe run(exchange)
    }
    switch request.form {
    case .some(let form):
      try form.withBytes { (form) throws(HTTPFailure) in
        try unsafe form.withUnsafeBytes { (form) throws(HTTPFailure) in
          try unsafe setBody(form)
          try unsafe run(exchange)
        }
      }
    case .none: throw HTTPFailure(.setup)
    }
  }

  /// The library keeps the pointer and makes no copy of its own before it sends.
  private func setBody(_ form: UnsafeRawBufferPointer) throws(HTTPFailure) {
    let nothing: StaticString = ""
    let start = unsafe form.baseAddress ?? UnsafeRawPointer(nothing.utf8Start)
    try set(CURLOPT_POST, true)
    try check(unsafe agent_curl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(form.count)))
    try check(unsafe agent_curl_set_text(easy, CURLOPT_POSTFIELDS, start.assumingMemoryBound(to: CChar.self)))
  }

  private func run(_ exchange: UnsafeMutablePointer<Exchange>) throws(HTTPFailure) {
    let code = unsafe transfer(exchange)
    if let failure = unsafe exchange.pointee.failure(after: code) { throw failure }
    unsafe exchange.pointee.complete(status: number(CURLINFO_RESPONSE_CODE), redirect: text(CURLINFO_REDIRECT_URL))
  }
}
