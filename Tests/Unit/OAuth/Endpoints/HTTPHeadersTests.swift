import OAuth
import Testing

@Suite struct `Header fields` {
  @Test func `names are found without regard to case and the first value counts`() {
    let headers = HTTPHeaders([("X-A", "1"), ("x-a", "2"), ("B", "3")])
    #expect(headers["x-A"] == "1")
    #expect(headers.values(of: "X-a") == ["1", "2"])
    #expect(headers["C"] == nil)
  }

  @Test(arguments: [
    ("application/json", "application/json", true), ("Application/JSON; charset=UTF-8", "application/json", true),
    ("application/jwk-set+json", "application/jwk-set+json", true), ("  text/html ;x", "text/html", false),
    ("application/jsonp", "application/jsonp", false), ("", "", false),
  ])
  func `a media type has no parameters and no capitals`(value: String, type: String, isJSON: Bool) {
    let headers = HTTPHeaders([("content-type", value)])
    #expect(headers.mediaType == type)
    #expect(headers.isJSON == isJSON)
  }

  @Test func `no content type is no media type`() {
    #expect(HTTPHeaders([]).mediaType == nil)
    #expect(!HTTPHeaders([]).isJSON)
  }

  // RFC 9110 section 8.3: the field is not repeatable.
  @Test func `several media types are none, unless they are the same`() {
    #expect(HTTPHeaders([("Content-Type", "application/json"), ("content-type", "text/html")]).mediaType == nil)
    let same = HTTPHeaders([("Content-Type", "application/json"), ("Content-Type", "Application/json; a=b")])
    #expect(same.isJSON)
  }

  // RFC 9110 section 10.2.2.
  @Test func `several places to redirect to are none, unless they are the same`() {
    #expect(HTTPHeaders([]).location == nil)
    #expect(HTTPHeaders([("Location", "/a"), ("location", "/a")]).location == "/a")
    #expect(HTTPHeaders([("Location", "/a"), ("location", "/b")]).location == nil)
  }

  // RFC 9110 section 10.2.3.
  @Test(
    arguments: [
      ("0", 0), ("17", 17), (" 300 ", 300), ("301", 300), ("99999999999999999999999999", 300),
      ("Sun, 06 Nov 1994 08:49:57 GMT", 20), ("Sun, 06 Nov 1994 08:00:00 GMT", 0),
      ("Sat, 06 Nov 2094 08:49:37 GMT", 300), ("", nil), ("-1", nil), ("1.5", nil), ("soon", nil), ("1 2", nil),
    ] as [(String, Int?)])
  func `a wait is a number or a date and never more than five minutes`(value: String, seconds: Int?) {
    #expect(HTTPHeaders([("Retry-After", value)]).retryAfterSeconds(now: 784_111_777) == seconds)
  }

  // 429 of services that send no Retry-After.
  @Test(arguments: [
    ("784111797", 20), ("784111700", 0), (" 784112000 ", 223), ("999999999", 300), ("20", 0),
  ])
  func `the end of a rate limit is a wait, too`(value: String, seconds: Int) {
    let headers = HTTPHeaders([("x-rate-limit-reset", value)])
    #expect(headers.retryAfterSeconds(now: 784_111_777) == seconds && headers.retryAfterSeconds(now: nil) == nil)
    let both = HTTPHeaders([("X-Rate-Limit-Reset", value), ("Retry-After", "7")])
    #expect(both.retryAfterSeconds(now: 784_111_777) == 7)
  }

  @Test(arguments: ["", "soon", "-1", "1.5"]) func `the end of a rate limit that is no number is none`(value: String) {
    #expect(HTTPHeaders([("X-Rate-Limit-Reset", value)]).retryAfterSeconds(now: 784_111_777) == nil)
  }

  @Test func `a date needs a clock to compare with`() {
    let headers = HTTPHeaders([("Retry-After", "Sun, 06 Nov 1994 08:49:57 GMT")])
    #expect(headers.retryAfterSeconds(now: nil) == nil)
    #expect(headers.retryAfterSeconds(now: .min) == nil)
  }

  @Test func `the date is the server's clock`() {
    #expect(HTTPHeaders([("date", "Sun, 06 Nov 1994 08:49:37 GMT")]).date == 784_111_777)
    #expect(HTTPHeaders([("date", "yesterday")]).date == nil)
  }

  // RFC 9111 section 5.2.2.
  @Test(
    arguments: [
      (["max-age=60"], 60), (["public, Max-Age=\"120\""], 120), (["max-age=60, no-store"], 0), (["no-cache"], 0),
      (["public", "max-age=5"], 5), (["max-age=99999999999999999999"], 999_999_999), ([], nil), (["public"], nil),
      (["max-age="], nil), (["max-age=-1"], nil), (["max-age=x"], nil), (["s-maxage=5"], nil),
    ] as [([String], Int?)])
  func `the age limit is read from all fields, and is none if it is unreadable`(values: [String], seconds: Int?) {
    #expect(HTTPHeaders(values.map { ("Cache-Control", $0) }).maxAgeSeconds == seconds)
  }
}

@Suite struct `Cancellation flag` {
  @Test func `it stays set`() {
    let cancellation = Cancellation()
    #expect(!cancellation.isCancelled)
    cancellation.cancel()
    cancellation.cancel()
    #expect(cancellation.isCancelled)
  }

  @Test func `nothing is spent once it is set`() throws {
    let cancellation = Cancellation()
    var spent = 0
    let error = OAuthError(.cancelled, .request)
    try cancellation.withDelayedCancellation(orThrow: error) { () throws(OAuthError) in spent += 1 }
    cancellation.cancel()
    #expect(throws: error) {
      try cancellation.withDelayedCancellation(orThrow: error) { () throws(OAuthError) in spent += 1 }
    }
    #expect(spent == 1)
  }
}
