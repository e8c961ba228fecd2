import OAuth
import Testing

@testable import HTTP

@Suite struct `Header fields` {
  /// The collector's result for these lines: the fields, or the problem.
  private func collect(_ lines: [String]) -> (fields: [String], isFinished: Bool, problem: HTTPFailure.Code?) {
    var collector = HeaderCollector()
    var problem: HTTPFailure.Code?
    for line in lines where problem == nil {
      let bytes = Array((line + "\r\n").utf8)
      problem = collector.receive(bytes.span)
    }
    return (collector.fields.map { "\($0)=\($1)" }, collector.isFinished, problem)
  }

  @Test func `are taken without the white space around the value`() {
    let result = collect(["HTTP/1.1 200 OK", "A: \t b c \t", "d:e", "F:", ""])
    #expect(result.fields == ["A=b c", "d=e", "F="])
    #expect(result.isFinished)
    #expect(result.problem == nil)
  }

  // RFC 9112 section 6.3.
  @Test(arguments: [(["1", "1"], true), (["1, 1"], true), (["1", "2"], false), (["1,2"], false), (["1", ""], false)])
  func `with several lengths are wrong, unless they are the same`(lengths: [String], isGood: Bool) {
    let result = collect(["HTTP/1.1 200 OK"] + lengths.map { "content-LENGTH: \($0)" } + [""])
    #expect(result.problem == (isGood ? nil : .malformed))
    #expect(result.isFinished == isGood)
  }

  // RFC 9112 section 5.2.
  @Test func `of several lines are put together`() {
    let result = collect(["HTTP/1.1 200 OK", "A: b", "  c", "\td", ""])
    #expect(result.fields == ["A=b c d"])
  }

  @Test func `of cookies are dropped whole`() {
    let result = collect(["HTTP/1.1 200 OK", "SET-COOKIE: a=b;", "  Path=/", "Set-Cookie2: c", "A: b", ""])
    #expect(result.fields == ["A=b"])
  }

  @Test func `of the last response count`() {
    let result = collect(["HTTP/1.1 103 Early Hints", "A: 1", "", "HTTP/1.1 200 OK", "B: 2", ""])
    #expect(result.fields == ["B=2"])
    #expect(result.isFinished)
  }

  @Test func `are not finished before the blank line`() {
    #expect(!collect(["HTTP/1.1 200 OK", "A: 1"]).isFinished)
    #expect(!collect(["HTTP/1.1 103 Early Hints", "A: 1", "", "HTTP/1.1 200 OK"]).isFinished)
  }

  @Test func `behind the body are dropped`() {
    #expect(collect(["HTTP/1.1 200 OK", "A: 1", "", "B: 2", "no colon", ""]).fields == ["A=1"])
  }

  @Test(arguments: [" folded", "no colon", ": no name", "a b: c", "a : c", "ä: c", "a\u{7F}: c"])
  func `that are malformed are refused`(line: String) {
    #expect(collect(["HTTP/1.1 200 OK", line]).problem == .malformed)
  }

  @Test func `are limited in number`() {
    let lines = (1...HeaderCollector.maximumFields).map { "X-\($0): 1" }
    #expect(collect(["HTTP/1.1 200 OK"] + lines).problem == nil)
    #expect(collect(["HTTP/1.1 200 OK"] + lines + ["Y: 1"]).problem == .tooLarge)
  }

  @Test func `are limited in size`() {
    let status = "HTTP/1.1 200 OK"
    let room = HeaderCollector.maximumBytes - status.utf8.count - 4 - "A:".utf8.count
    #expect(collect([status, "A:" + String(repeating: "x", count: room)]).problem == nil)
    #expect(collect([status, "A:" + String(repeating: "x", count: room + 1)]).problem == .tooLarge)
  }
}
