internal import CCurl
internal import CTLS
internal import OAuth
internal import Platform

extension HTTPFailure.Code {
  /// `beforeRequest`: no byte of the request was sent. `certificate`: libcrypto's verification result.
  init(_ code: CURLcode, beforeRequest: Bool, overProxy: Bool, certificate: Int) {
    if overProxy, beforeRequest, Self.isBroken(code) {
      self = .proxy
      return
    }
    self =
      switch code {
      case CURLE_COULDNT_RESOLVE_HOST: .resolve
      case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: .proxy
      case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED: .connect
      case CURLE_OPERATION_TIMEDOUT: .timeout
      case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_SHUTDOWN_FAILED, CURLE_USE_SSL_FAILED: .tls
      case CURLE_PEER_FAILED_VERIFICATION: Self.certificate(certificate)
      case CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS: .certificate
      case CURLE_SSL_PINNEDPUBKEYNOTMATCH: .pin
      case CURLE_SEND_ERROR, CURLE_SEND_FAIL_REWIND: .send
      case CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_HTTP2, CURLE_HTTP2_STREAM: .receive
      case Self.tooLargeResult: .tooLarge
      case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_WRITE_ERROR: .malformed
      // libcurl treats a response without a status line as HTTP/0.9, which is not allowed.
      case CURLE_UNSUPPORTED_PROTOCOL: beforeRequest ? .setup : .malformed
      case CURLE_OUT_OF_MEMORY: .memory
      // Reading local data failed, or this program ended the transfer.
      case CURLE_READ_ERROR, CURLE_ABORTED_BY_CALLBACK, CURLE_BAD_FUNCTION_ARGUMENT: .setup
      // libcurl does not support something in the response, such as a coding.
      default: beforeRequest ? .setup : .malformed
      }
  }

  /// `result` is libcrypto's verification result. If the chain has no error, the host name is wrong.
  private static func certificate(_ result: Int) -> Self {
    switch Int32(truncatingIfNeeded: result) {
    case X509_V_ERR_CERT_HAS_EXPIRED, X509_V_ERR_CERT_NOT_YET_VALID: .certificateTime
    case X509_V_OK, X509_V_ERR_UNSPECIFIED, X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
      .certificateHost
    default: .certificate
    }
  }

  /// `CURLE_TOO_LARGE`, which only newer headers define.
  private static var tooLargeResult: CURLcode { CURLcode(rawValue: 100) }

  private static func isBroken(_ code: CURLcode) -> Bool {
    switch code {
    case CURLE_COULDNT_CONNECT, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_WEIRD_SERVER_REPLY: true
    default: false
    }
  }
}

extension ConnectionProblem {
  /// Nil if only the failure's code is known.
  init?(_ failure: HTTPFailure.Code, _ code: CURLcode, of handle: CurlHandle) {
    let problem: Self? =
      switch failure {
      case .resolve: .hostNotFound
      case .connect: Self(systemError: handle.number(CURLINFO_OS_ERRNO))
      case .proxy:
        code == CURLE_COULDNT_RESOLVE_PROXY
          ? .hostNotFound
          : Self(proxyStatus: handle.number(CURLINFO_HTTP_CONNECTCODE))
            ?? Self(systemError: handle.number(CURLINFO_OS_ERRNO))
      case .certificate, .certificateTime: Self(certificate: handle.number(CURLINFO_SSL_VERIFYRESULT))
      case .certificateHost: .certificateOfOtherHost
      case .tls: handle.hasReceivedPlainText ? .notTLS : nil
      default: nil
      }
    guard let problem else { return nil }
    self = problem
  }

  private init?(systemError: Int) {
    switch Int32(truncatingIfNeeded: systemError) {
    case SystemError.Number.ECONNREFUSED: self = .refused
    case SystemError.Number.EHOSTUNREACH: self = .noRoute
    case SystemError.Number.ENETUNREACH: self = .networkUnreachable
    case SystemError.Number.ETIMEDOUT: self = .timedOut
    default: return nil
    }
  }

  private init?(proxyStatus: Int) {
    switch proxyStatus {
    case 407: self = .proxyAuthentication
    case 400...: self = .proxyRefused
    default: return nil
    }
  }

  private init?(certificate result: Int) {
    switch Int32(truncatingIfNeeded: result) {
    case X509_V_ERR_CERT_HAS_EXPIRED: self = .certificateExpired
    case X509_V_ERR_CERT_NOT_YET_VALID: self = .certificateNotYetValid
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT: self = .selfSigned
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT,
      X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      self = .unknownAuthority
    case X509_V_ERR_CERT_REVOKED: self = .certificateRevoked
    case X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_CA_KEY_TOO_SMALL, X509_V_ERR_CA_MD_TOO_WEAK: self = .certificateWeak
    case X509_V_ERR_INVALID_PURPOSE, X509_V_ERR_INVALID_CA, X509_V_ERR_CERT_REJECTED, X509_V_ERR_CERT_UNTRUSTED:
      self = .certificateOfOtherUse
    case X509_V_ERR_CERT_SIGNATURE_FAILURE, X509_V_ERR_CERT_CHAIN_TOO_LONG, X509_V_ERR_PATH_LENGTH_EXCEEDED,
      X509_V_ERR_UNHANDLED_CRITICAL_EXTENSION, X509_V_ERR_PERMITTED_VIOLATION, X509_V_ERR_EXCLUDED_VIOLATION:
      self = .certificateInvalid
    default: return nil
    }
  }
}
