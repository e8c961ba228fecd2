import Crypto
import HTTP
import OAuth
@_exported import OAuthSupport
import Vocabulary

func secret(_ text: String) throws -> SecretBytes {
  let bytes = Array(text.utf8)
  return try SecretBytes(copying: bytes.span)
}

/// Allows plain http to this machine, with a timeout of `seconds`.
func plainTransport(seconds: Int = 20) -> Transport {
  var transport = Transport()
  transport.allowHTTPLoopback = true
  transport.totalTimeoutSeconds = seconds
  return transport
}

func client() -> CurlClient { CurlClient(userAgent: "agent-test/1") }

func get(
  _ url: String, transport: Transport = plainTransport(), followsRedirects: Bool = false, limit: Int? = nil,
  cancellation: Cancellation? = nil
) throws -> HTTPRequest {
  var request = HTTPRequest(
    .get, try Endpoint(url, allowHTTPLoopback: true), .metadata, transport: transport, cancellation: cancellation)
  request.followsRedirects = followsRedirects
  if let limit { request.responseLimit = limit }
  return request
}

func post(
  _ url: String, form: String = "grant_type=refresh_token", transport: Transport = plainTransport(),
  cancellation: Cancellation? = nil
) throws -> HTTPRequest {
  HTTPRequest(
    post: try Endpoint(url, allowHTTPLoopback: true), .token, form: try secret(form), transport: transport,
    cancellation: cancellation)
}

/// The failure after the server has received the request and begun to respond.
func answered(_ code: HTTPFailure.Code, after seconds: Int? = nil) -> HTTPFailure {
  var failure = HTTPFailure(code, responseStarted: true, requestMayHaveArrived: true)
  failure.waitedSeconds = seconds
  return failure
}

/// The failure if the server may have received the request but did not respond.
func unanswered(_ code: HTTPFailure.Code, after seconds: Int? = nil) -> HTTPFailure {
  var failure = HTTPFailure(code, responseStarted: false, requestMayHaveArrived: true)
  failure.waitedSeconds = seconds
  return failure
}
