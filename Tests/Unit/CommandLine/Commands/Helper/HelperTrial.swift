import Encoding
import Vocabulary
import Wire

@testable import CommandLine

/// A helper's call without a daemon: its request, and its output for a response.
struct HelperTrial {
  let helper: HelperProtocol
  var call = HelperCall()

  /// The members of the daemon's response after the token, in JSON.
  static let usual = #""use":"access_token","place":"https://host.example","use_expires_at":1800000000"#

  init(
    _ name: HelperProtocolName, _ arguments: String..., input: String = "", url: String? = nil, user: String? = nil,
    variables: [String: String] = [:]
  ) {
    helper = HelperCommand.helper(name)
    call.arguments = arguments
    call.input = Array(input.utf8)
    call.url = url
    call.user = user
    call.variable = { variables[$0] }
  }

  /// The destination of the requested token; nil if none is requested.
  func place() throws -> TokenRequest.Destination? {
    if case .token(let place, _, _) = try helper.request(call) { place } else { nil }
  }

  func account() throws -> String? {
    if case .token(_, let account, _) = try helper.request(call) { account } else { nil }
  }

  /// The output without a token; nil if one is requested.
  func text() throws -> String? {
    if case .text(let text) = try helper.request(call) { text } else { nil }
  }

  /// The output with a token. `members` are the other members of the response.
  func answer(_ members: String = Self.usual, token: String = "T0k.en", type: String = "Bearer") throws -> String? {
    let writer: HelperRequest.Writer
    switch try helper.request(call) {
    case .token(_, _, let body), .tokens(let body): writer = body
    default: return nil
    }
    let line =
      #"{"v":1,"result":{"account":"work","issuer":"https://id.example","access_token":"\#(token)","#
      + #""token_type":"\#(type)",\#(members),"id_token":"\#(token)"}}"#
    let bytes = Array(line.utf8)
    let credential = try HelperCredential(TokenAnswer(parsing: bytes.span))
    var text = SecretText(capacity: 64)
    try writer(credential, Array(token.utf8).span, &text)
    return String(decoding: text.bytes, as: UTF8.self)
  }

  func failureOutput(_ code: FailureCode) -> HelperFailureOutput {
    helper.failureOutput(Failure(code, "no", hint: "agent login work"), "agent: error: no (agent login work)", call)
  }
}
