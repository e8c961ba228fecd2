import Encoding
import Testing
import Vocabulary
import Wire
import WireSupport

@Suite struct `A reply` {
  static let unreadable = Failure(
    .internalError, "the daemon's answer has another protocol version", hint: "agent daemon restart")

  static let deviceCode = Event.DeviceCode(
    loginID: "0f", account: "work", issuer: "https://as.example", clientID: "cli", scope: "openid",
    userCode: "WDJB-MJHT",
    verificationURI: "https://as.example/device", verificationURIComplete: "https://as.example/device?c=WDJB-MJHT",
    expiresAt: 1_700_000_900, interval: 5)

  static let bareDeviceCode = Event.DeviceCode(
    loginID: "0f", account: "work", issuer: "https://as.example", clientID: "cli", scope: nil, userCode: "1",
    verificationURI: "https://as.example/device", verificationURIComplete: nil, expiresAt: 1, interval: 5)

  static let browser = Event.Browser(
    loginID: "0f", account: "work", issuer: "https://as.example", clientID: "cli", scope: "openid",
    url: "https://as.example/authorize?state=s", linkURL: "http://127.0.0.1:8400/AAAAAAAAAAAAAAAAAAAAAA",
    redirectURI: "http://127.0.0.1:8400/as.example", mustPaste: true,
    expiresAt: 1_700_000_600, urlExpiresAt: 1_700_000_060)

  static let bareBrowser = Event.Browser(
    loginID: "0f", account: "work", issuer: "https://as.example", clientID: "cli", scope: nil,
    url: "https://as.example/a",
    redirectURI: "http://[::1]:1/", mustPaste: false, expiresAt: 1)

  @Test(arguments: [
    Reply.event(.browser(browser)), .event(.browser(bareBrowser)),
    .event(.redirectRefused(Failure(.redirectRejected, "no", hint: "yes"))), .event(.notice("a \"word\" of \("work")")),
    .event(.deviceCode(deviceCode)), .event(.deviceCode(bareDeviceCode)),
    .event(.progress(LogEntry(time: 1, account: "work", event: .step(.session(.recordRead))).line)),
    .result([:]), .result(["accounts": [["name": "work"]], "error": "inside", "v": 9]),
  ])
  func `is read back as it was written`(reply: Reply) throws {
    let line = reply.serialized()
    #expect(line.last == UInt8(ascii: "\n"))
    #expect(line.count { $0 == UInt8(ascii: "\n") } == 1)
    #expect(try Reply(parsing: line.span) == reply)
    #expect(try Reply(parsing: line.span).serialized() == line)
    let whole = Array(line.dropLast())
    for count in 0..<whole.count {
      expect(throws: Self.unreadable) { try Reply(parsing: Array(whole[..<count]).span) }
    }
  }

  /// A newer daemon may send things that this build does not know.
  @Test(arguments: [#"{"v":1,"event":"progress","entry":{"time":1}}"#, #"{"v":1,"event":"progress"}"#])
  func `of progress may tell something unknown`(line: String) throws {
    let bytes = Array(line.utf8)
    #expect(try Reply(parsing: bytes.span) == .event(.progress(nil)))
  }

  @Test func `with a device code is written as the protocol documents it`() {
    let line = String(decoding: Reply.event(.deviceCode(Self.deviceCode)).serialized(), as: UTF8.self)
    #expect(
      line
        == #"{"v":1,"event":"device_code","login":"0f","account":"work","issuer":"https://as.example","client_id":"cli","#
        + #""scope":"openid","user_code":"WDJB-MJHT","verification_uri":"https://as.example/device","#
        + #""verification_uri_complete":"https://as.example/device?c=WDJB-MJHT","expires_at":1700000900,"#
        + #""interval":5}"# + "\n")
  }

  @Test func `with an address to open is written as the protocol documents it`() {
    let line = String(decoding: Reply.event(.browser(Self.browser)).serialized(), as: UTF8.self)
    #expect(
      line == #"{"v":1,"event":"browser","login":"0f","account":"work","issuer":"https://as.example","#
        + #""client_id":"cli","scope":"openid","url":"https://as.example/authorize?state=s","#
        + #""link_url":"http://127.0.0.1:8400/AAAAAAAAAAAAAAAAAAAAAA","#
        + #""redirect_uri":"http://127.0.0.1:8400/as.example","must_paste":true,"expires_at":1700000600,"#
        + #""url_expires_at":1700000060}"# + "\n")
  }

  @Test(arguments: [
    "", "garbage", "[]", "null", "{}", #"{"v":1}"#, #"{"result":{}}"#, #"{"v":2,"result":{}}"#,
    #"{"v":"1","result":{}}"#,
    #"{"v":1,"result":[]}"#, #"{"v":1,"result":{}}{}"#, #"{"v":1,"result":{},"result":{}}"#, #"{"v":1,"error":null}"#,
    #"{"v":1,"error":"text","result":{}}"#, #"{"v":1,"error":{"code":"network"}}"#, #"{"v":1,"event":"unknown"}"#,
    #"{"v":1,"event":"notice"}"#, #"{"v":1,"event":"device_code","account":"work"}"#, "{\"v\":1,\"result\":{}}\u{0}",
  ])
  func `that is garbage is told as such`(line: String) {
    let bytes = Array(line.utf8)
    expect(throws: Self.unreadable) { try Reply(parsing: bytes.span) }
  }

  @Test(arguments: [
    "account", "issuer", "client_id", "user_code", "verification_uri", "expires_at", "interval",
  ])
  func `with a device code needs each of its members`(name: String) {
    for value: JSON? in [nil, .null, []] {
      var object = Event.deviceCode(Self.deviceCode).json
      object[name] = value
      #expect(Event(json: .object(object)) == nil)
    }
  }

  @Test func `never traps on flipped bits`() throws {
    for reply in [
      Reply.event(.deviceCode(Self.deviceCode)), .result(["a": [1, "b"]]), .failure(Failure(.network, "m")),
    ] {
      let line = reply.serialized()
      for index in line.indices {
        for bit in 0..<8 {
          var flipped = line
          flipped[index] ^= 1 << bit
          do {
            _ = try Reply(parsing: flipped.span)
          } catch {
            #expect(error.words == Self.unreadable.words)
          }
        }
      }
    }
  }
}
