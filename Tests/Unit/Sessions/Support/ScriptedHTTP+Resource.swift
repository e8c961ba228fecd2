import Crypto
import OAuth

struct ResourceAnswer: Sendable {
  var status = 200
  var headers: [(String, String)] = []
  var body = ""

  func send(to receiver: any ResourceReceiver) throws(HTTPFailure) -> ResourceResponse {
    let head = ResourceHead(status: status, headers: HTTPHeaders(headers))
    let bytes = Array(body.utf8)
    guard receiver.begin(head) else { return ResourceResponse(head: head, contentBytes: 0) }
    if !bytes.isEmpty, receiver.take(bytes.span) == nil { throw HTTPFailure(.cancelled) }
    return ResourceResponse(head: head, contentBytes: bytes.count)
  }
}

/// An HTTP client that simulates resources by URL, and forwards all other requests.
final class ScriptedResources: HTTPClient {
  private let others: ScriptedHTTP
  private let answers: [String: ResourceAnswer]

  init(_ answers: [String: ResourceAnswer], besides others: ScriptedHTTP) {
    self.answers = answers
    self.others = others
  }

  func send(_ request: borrowing HTTPRequest) throws(HTTPFailure) -> HTTPResponse { try others.send(request) }

  func exchange(
    _ request: ResourceRequest, authorization: [SecretField], content: (any ResourceContent)?,
    receiver: any ResourceReceiver
  ) throws(HTTPFailure) -> ResourceResponse {
    others.record(
      ScriptedHTTP.Recorded(
        method: .get, url: request.endpoint.text,
        authorization: authorization.map { "\($0.name): \($0.value.text)" }.joined(separator: "\n"),
        certificate: request.transport.clientCertificate?.thumbprint))
    guard let answer = answers[request.endpoint.text] else { throw HTTPFailure(.connect) }
    return try answer.send(to: receiver)
  }
}

/// A receiver that stores the response.
final class KeptAnswer: ResourceReceiver, @unchecked Sendable {
  // Used by one thread.
  private(set) var status: Int?
  private(set) var body: [UInt8] = []

  var descriptor: Int32 { -1 }

  func begin(_ head: ResourceHead) -> Bool {
    status = head.status
    return true
  }

  func take(_ bytes: Span<UInt8>) -> Int? {
    for index in bytes.indices { body.append(bytes[index]) }
    return bytes.count
  }
}

/// Content that is never read, only rewound.
final class UnreadContent: ResourceContent, @unchecked Sendable {
  let canRewind: Bool
  private(set) var rewinds = 0

  init(canRewind: Bool) { self.canRewind = canRewind }

  var length: Int? { 3 }
  var descriptor: Int32 { -1 }
  func read(into space: inout MutableSpan<UInt8>) -> ResourceContentPart { .end }
  func rewind() { rewinds += 1 }
}
