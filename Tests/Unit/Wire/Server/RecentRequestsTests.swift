import Encoding
import Testing
@testable import Wire

@Suite struct `Requests that come again` {
  private static func read(
    _ line: String, _ requests: inout RecentRequests
  ) -> Result<RequestEnvelope, Failure> {
    let bytes = Array(line.utf8)
    do throws(Failure) { return .success(try requests.envelope(parsing: bytes.span)) } catch { return .failure(error) }
  }

  private static func parse(_ line: String) -> Result<RequestEnvelope, Failure> {
    let bytes = Array(line.utf8)
    do throws(Failure) { return .success(try RequestEnvelope(parsing: bytes.span)) } catch { return .failure(error) }
  }

  /// Includes lines that differ in one byte, and more than are remembered.
  private static let lines =
    (0..<12).map { #"{"v":1,"request":"token","account":"work-\#($0)"}"# } + [
      #"{"v":1,"request":"token"}"#, #"{"v":1,"request":"token" }"#, #"{"v":2,"request":"token"}"#,
      #"{"v":1,"request":"token","account":"work-1","force_refresh":true}"#,
      #"{"v":1,"request":"token","account":"work-1","min_valid":60,"timeout":5}"#,
      #"{"v":1,"request":"token","account":"work-1","claims":true}"#,
      #"{"v":1,"request":"token","account":7}"#, #"{"v":1,"request":"whoami","account":"work-1"}"#,
      #"{"v":1,"request":"list"}"#, #"{"v":1,"request":"nothing"}"#, "{", "",
      #"{"v":1,"request":"token","account":"\#(String(repeating: "x", count: 600))"}"#,
    ]

  @Test func `mean what they mean when they are read anew`() {
    var requests = RecentRequests()
    var place = 0
    for step in 0..<2000 {
      // Runs of the same line, and jumps between all of them.
      if step % 3 != 0 { place = (place * 7 + step) % Self.lines.count }
      let line = Self.lines[place]
      #expect(Self.read(line, &requests) == Self.parse(line))
    }
  }
}
