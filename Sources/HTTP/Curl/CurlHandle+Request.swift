internal import CCurl
internal import Crypto
internal import OAuth

extension CurlHandle {
  /// Sets all options except secrets.
  func prepare(
    _ endpoint: Endpoint, over route: Route, userAgent: String, transport: Transport
  ) throws(HTTPFailure) {
    reset()
    try set(CURLOPT_URL, endpoint.text)
    try set(CURLOPT_PATH_AS_IS, true)
    try set(CURLOPT_USERAGENT, userAgent)
    try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    try setConnectTimes(transport)
    try setRestrictions(route)
    try setTrust(route)
    presentedCertificate.prepare(route)
    try watchTLS(route)
    try watchClosing()
    try setProxy(route)
  }

  private func setConnectTimes(_ transport: Transport) throws(HTTPFailure) {
    // Until the name is resolved; see TransferProgress.beginConnecting().
    try set(CURLOPT_CONNECTTIMEOUT_MS, Duration.seconds(transport.resolveTimeoutSeconds).wholeMilliseconds)
    // Waiting for a name-resolving thread could exceed both limits.
    try set(CURLOPT_QUICK_EXIT, true)
    try set(CURLOPT_NOSIGNAL, true)
  }

  private func setRestrictions(_ route: Route) throws(HTTPFailure) {
    try set(CURLOPT_PROTOCOLS_STR, route.isPlainHTTP ? "http" : "https")
    try set(CURLOPT_REDIR_PROTOCOLS_STR, "https")
    try set(CURLOPT_FOLLOWLOCATION, false)
    try set(CURLOPT_UNRESTRICTED_AUTH, false)
    try set(CURLOPT_DISALLOW_USERNAME_IN_URL, true)
    try set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
    try set(CURLOPT_HTTP09_ALLOWED, false)
    try set(CURLOPT_MAXCONNECTS, 1)
  }

  private func setTrust(_ route: Route) throws(HTTPFailure) {
    try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    try set(CURLOPT_SSL_VERIFYPEER, 1)
    try set(CURLOPT_SSL_VERIFYHOST, 2)
    if let directory = CurlLibrary.certificateDirectory {
      // Loads only the required certificates.
      try set(CURLOPT_CAINFO, nil)
      try set(CURLOPT_CAPATH, directory)
    }
    // With a certificate directory, these are trusted too; without, they replace the system's bundle.
    if let authorities = route.certificateAuthorities { try set(CURLOPT_CAINFO_BLOB, blob: authorities.pem) }
    if !route.pins.isEmpty { try set(CURLOPT_PINNEDPUBLICKEY, route.pins.joined(separator: ";")) }
  }

  private func setProxy(_ route: Route) throws(HTTPFailure) {
    // Unlike nil, an empty text keeps libcurl from reading the environment.
    try set(CURLOPT_PROXY, route.proxy?.url ?? "")
    try set(CURLOPT_NOPROXY, "")
    guard let proxy = route.proxy else { return }
    try set(CURLOPT_HTTPPROXYTUNNEL, true)
    try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, true)
    try set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
    try set(CURLOPT_PROXYAUTH, 1)
    try set(CURLOPT_PROXY_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    try set(CURLOPT_PROXY_SSL_VERIFYPEER, 1)
    try set(CURLOPT_PROXY_SSL_VERIFYHOST, 2)
    if let directory = CurlLibrary.certificateDirectory {
      try set(CURLOPT_PROXY_CAINFO, nil)
      try set(CURLOPT_PROXY_CAPATH, directory)
    }
    if let authorities = route.certificateAuthorities { try set(CURLOPT_PROXY_CAINFO_BLOB, blob: authorities.pem) }
    if let credentials = proxy.credentials { try set(CURLOPT_PROXYUSERPWD, secret: credentials.bytes) }
  }
}
