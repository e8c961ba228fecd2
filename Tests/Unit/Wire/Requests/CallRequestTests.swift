import Encoding
import Testing
import Wire
import WireSupport

@Suite struct `A request for a resource` {
  private func parse(_ text: String) throws -> RequestEnvelope { try RequestEnvelope(parsing: Array(text.utf8).span) }

  @Test func `is read as it was written`() throws {
    let request = CallRequest(
      account: "work", url: "https://api.example/x", method: "PUT", headers: ["A: b", "C:"], sendsBody: true)
    let line = RequestEnvelope(.call(request), timeoutSeconds: 7).serialized()
    #expect(
      String(decoding: line, as: UTF8.self)
        == #"{"v":1,"request":"resource","account":"work","url":"https://api.example/x","method":"PUT","headers":["A: b","C:"],"body_descriptor":true,"timeout":7}"#
        + "\n")
    #expect(try RequestEnvelope(parsing: line.span) == RequestEnvelope(.call(request), timeoutSeconds: 7))
  }

  // As in a token request.
  @Test func `names the token that goes along`() throws {
    var request = CallRequest(url: "u", method: "GET")
    request.target = TokenRequest.Target(
      scope: ["a", "b"], resources: ["https://api.example/"], audience: "x", authorizationDetails: "[]",
      usesTokenExchange: true)
    let line = RequestEnvelope(.call(request)).serialized()
    #expect(
      String(decoding: line, as: UTF8.self)
        == #"{"v":1,"request":"resource","url":"u","method":"GET","scope":["a","b"],"#
        + #""resource":["https://api.example/"],"audience":"x","authorization_details":"[]","exchange":true}"# + "\n")
    #expect(try RequestEnvelope(parsing: line.span) == RequestEnvelope(.call(request)))
  }

  @Test func `needs a URL alone`() throws {
    #expect(
      try parse(#"{"v":1,"request":"resource","url":"u"}"#)
        == RequestEnvelope(.call(CallRequest(url: "u", method: "GET"))))
    #expect(
      try parse(#"{"v":1,"request":"resource","url":"u","body_descriptor":true}"#)
        == RequestEnvelope(.call(CallRequest(url: "u", method: "POST", sendsBody: true))))
    expect(throws: Failure(.invalidRequest, "the request needs the member \"url\"")) {
      try parse(#"{"v":1,"request":"resource"}"#)
    }
  }

  @Test func `is answered with an event that is read as it was written`() throws {
    let head = ResponseHead(status: 404, headers: [.init("A", "b"), .init("A", ""), .init("Set-Cookie", "x=\"y\"")])
    let line = Reply.event(.response(head)).serialized()
    #expect(
      String(decoding: line, as: UTF8.self)
        == #"{"v":1,"event":"response","status":404,"headers":[["A","b"],["A",""],["Set-Cookie","x=\"y\""]]}"# + "\n")
    #expect(try Reply(parsing: line.span) == .event(.response(head)))
  }

  @Test(arguments: [
    #"{"event":"response"}"#, #"{"event":"response","status":200}"#,
    #"{"event":"response","status":"200","headers":[]}"#,
    #"{"event":"response","status":200,"headers":[["A"]]}"#, #"{"event":"response","status":200,"headers":[["A",1]]}"#,
    #"{"event":"response","status":200,"headers":["A: b"]}"#,
  ])
  func `is not answered with half an event`(text: String) throws {
    #expect(Event(json: try JSON(parsing: Array(text.utf8))) == nil)
  }
}
