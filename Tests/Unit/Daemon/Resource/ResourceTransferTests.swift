import Encoding
import OAuth
import Platform
import Sessions
import Testing
import Vocabulary
import Wire
import WireSupport

@testable import Daemon

@Suite struct `The transfer of a request to a resource` {
  private static func transfer(
    _ request: CallRequest, passed: [SharedDescriptor] = []
  ) throws(Failure) -> ResourceTransfer {
    try ResourceTransfer(
      request, .number(1), timeoutSeconds: 60, waitsUntil: nil, passed: passed, reportHead: { _ in })
  }

  private static func request(body: Bool = false) -> CallRequest {
    CallRequest(account: "work", url: "https://api.example/items", method: "POST", sendsBody: body)
  }

  @Test(arguments: [false, true]) func `brings a descriptor for the answer, and before it one for a body`(
    sendsBody: Bool
  ) throws {
    let pipe = try Pipe()
    let (reading, writing) = (SharedDescriptor(pipe.reading), SharedDescriptor(pipe.writing))
    for passed in [[], [writing], [reading, writing], [reading, reading, writing]] {
      let isWhole = passed.count == (sendsBody ? 2 : 1)
      do throws(Failure) {
        let transfer = try Self.transfer(Self.request(body: sendsBody), passed: passed)
        #expect(isWhole && (transfer.content != nil) == sendsBody && transfer.responseBodyReader == nil)
      } catch {
        #expect(!isWhole && error.code == .descriptorMissing)
      }
    }
  }

  @Test func `brings none where the bodies go with the lines, and takes that of the request as it is said to come`()
    throws
  {
    var request = Self.request()
    request.isInline = true
    let none = try Self.transfer(request)
    #expect(none.content == nil && none.responseBodyReader != nil && none.takeRequestBodyWriter() == nil)
    (request.sendsBody, request.inlineBody) = (true, "aGVsbG8=")
    let whole = try Self.transfer(request)
    #expect(whole.content?.length == 5 && whole.responseBodyReader != nil && whole.takeRequestBodyWriter() == nil)
    (request.sendsBodyInLines, request.inlineBody) = (true, nil)
    let inLines = try Self.transfer(request)
    #expect(inLines.content != nil && inLines.content?.length == nil)
    #expect(inLines.takeRequestBodyWriter() != nil && inLines.takeRequestBodyWriter() == nil, "it has one owner")
    (request.sendsBodyInLines, request.inlineBody) = (false, "no base64")
    expect(throws: Failure(.invalidRequest, "\"body\" must be base64")) { try Self.transfer(request) }
  }

  // RFC 9110 section 9.3.2.
  @Test func `by the method HEAD has no body`() throws {
    func target(_ method: String, sendsBody: Bool) throws(Failure) {
      _ = try ResourceCall.Target(CallRequest(url: "https://api.example/", method: method, sendsBody: sendsBody))
    }
    try target("HEAD", sendsBody: false)
    try target("POST", sendsBody: true)
    expect(throws: Failure(.invalidRequest, "a HEAD request has no body")) { try target("HEAD", sendsBody: true) }
  }
}

@Suite struct `The token of a request to a resource` {
  private let home: DaemonHome
  private let parts: DaemonParts

  init() throws {
    home = try DaemonHome(
      signedIn: "work", origins: ["https://api.example", "https://narrow.example scope=list"], renewals: 1)
    parts = try DaemonParts(home.context)
    home.http.resourceAnswers = [.status(200)]
  }

  /// The scopes of the tokens used for a request.
  private func scopes(of request: CallRequest) throws -> [[String]] {
    let pipe = try Pipe()
    try parts.resources.call(
      request, .number(1), timeoutSeconds: nil, passed: [SharedDescriptor(try pipe.writing.duplicate())])
    home.runJobs()
    #expect(home.sink.results[1]?["status"] == 200)
    let slots = try parts.broker.resolve("work").slots.filter { $0.session.grant != nil }
    return slots.map { $0.target?.scope?.values ?? [] }
  }

  @Test(
    arguments: [
      ("https://api.example/", [], []), ("https://api.example/", ["read"], ["read"]),
      ("https://narrow.example/", [], ["list"]), ("https://narrow.example/", ["read"], ["read"]),
    ] as [(String, [String], [String])])
  func `is the one that the request names, else that which the settings have for the place`(
    url: String, asked: [String], sent: [String]
  ) throws {
    var request = CallRequest(account: "work", url: url, method: "GET")
    request.target.scope = asked
    #expect(try scopes(of: request) == [sent])
  }
}
