import Encoding
import TestSupport
import Testing
import Wire

@testable import AgentClient

@Suite struct `A request to a resource` {
  private static func line(_ event: Event) -> String {
    String(decoding: Reply.event(event).serialized().dropLast(), as: UTF8.self)
  }

  private static func head(_ status: Int = 200) -> String {
    line(.response(ResponseHead(status: status, headers: [.init("Content-Type", "text/plain"), .init("X", "1")])))
  }

  private static func end(_ problem: String = "") -> String {
    #"{"v":1,"result":{"account":"work","status":200,"body_bytes":5\#(problem)}}"#
  }

  private static func body(_ text: String) -> String { line(.body(Array(text.utf8))) }

  @Test func `gives the head, then the body as it comes`() async throws {
    let played = try PlayedAgent([
      [
        [Self.line(.notice("wait")), Self.head(), Self.body("ab"), Self.body("cde"), Self.end()].joined(separator: "\n")
      ]
    ])
    var request = ResourceRequest("https://api.example/x", method: "PUT", body: Array("hi".utf8), account: "work")
    request.headers = [HTTPField("Accept", "text/plain")]
    request.timeout = .seconds(9)
    request.refusesRedirects = true
    let response = try await Agent(socket: played.path).request(request)
    #expect(response.status == 200)
    #expect(response.headers == [HTTPField("Content-Type", "text/plain"), HTTPField("X", "1")])
    #expect(response.field("content-type") == "text/plain" && response.field("y") == nil)
    var parts: [String] = []
    for try await part in response { parts.append(String(decoding: part, as: UTF8.self)) }
    #expect(parts == ["ab", "cde"])
    #expect(response.problem == nil)
    #expect(
      played.requests == [
        #"{"v":1,"request":"resource","account":"work","url":"https://api.example/x","method":"PUT","#
          + #""headers":["Accept: text/plain"],"inline":true,"body":"aGk=","no_redirects":true,"timeout":9}"#
      ])
  }

  @Test(arguments: [(nil, nil, "GET"), (nil, [1], "POST"), ("DELETE", [1], "DELETE")] as [(String?, [UInt8]?, String)])
  func `has the usual method unless it names one`(method: String?, body: [UInt8]?, expected: String) {
    #expect(ResourceRequest("https://api.example", method: method, body: body).method == expected)
  }

  @Test func `gives the whole body up to a limit, and ends the request past it`() async throws {
    let lines = [Self.head(), Self.body("ab"), Self.body("cde")].joined(separator: "\n")
    let played = try PlayedAgent([["\(lines)\n\(Self.end())"], [lines, ""]])
    let agent = Agent(socket: played.path)
    let request = ResourceRequest("https://api.example/x")
    #expect(try await agent.request(request).bytes(upTo: 5) == Array("abcde".utf8))
    _ = await played.next()
    let response = try await agent.request(request)
    var thrown: AgentError?
    do throws(AgentError) { _ = try await response.bytes(upTo: 4) } catch { thrown = error }
    #expect(
      thrown == AgentError(.fixProgram, code: "body_too_large", message: "the answer has more than 4 bytes"))
    _ = await played.next()
    #expect(await played.next() == "closed")
    // Nothing can be mistaken for the end of the body.
    #expect(try await response.bytes() == [])
  }

  @Test func `tells what helps when the resource refuses the account's tokens`() async throws {
    let problem = #","problem":{"code":"token_refused","message":"no","hint":"agent login work"}"#
    let played = try PlayedAgent([[[Self.head(401), Self.body("denied"), Self.end(problem)].joined(separator: "\n")]])
    let response = try await Agent(socket: played.path).request(ResourceRequest("https://api.example/x"))
    #expect(response.status == 401 && response.problem == nil)
    #expect(try await response.bytes() == Array("denied".utf8))
    #expect(
      response.problem == AgentError(.signIn, code: "token_refused", message: "no", hint: "agent login work"))
  }

  @Test func `fails when the agent does not send it`() async throws {
    let played = try PlayedAgent([[#"{"v":1,"error":{"code":"origin_not_allowed","message":"no"}}"#]])
    var thrown: AgentError?
    do throws(AgentError) {
      _ = try await Agent(socket: played.path).request(ResourceRequest("https://api.example/x"))
    } catch {
      thrown = error
    }
    #expect(thrown == AgentError(.fixConfiguration, code: "origin_not_allowed", message: "no"))
  }

  @Test func `sends a long body in parts, each when it is asked for`() async throws {
    let body = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
    let wanted = Self.line(.bodyWanted)
    // The last parts are requested after the head of the response.
    let played = try PlayedAgent([[wanted, wanted, "\(Self.head())\n\(wanted)", "\(Self.body("ok"))\n\(Self.end())"]])
    let response = try await Agent(socket: played.path).request(
      ResourceRequest("https://api.example/x", method: "PUT", body: body))
    #expect(try await response.bytes() == Array("ok".utf8))
    let lines = played.requests
    #expect(lines.count == 4)
    #expect(
      lines.first
        == #"{"v":1,"request":"resource","url":"https://api.example/x","method":"PUT","inline":true,"body_lines":true,"#
        + #""timeout":120}"#)
    var sent: [UInt8] = []
    var ends: [Bool] = []
    for line in lines.dropFirst() {
      guard case .resourceBody(let part) = try RequestEnvelope(parsing: Array(line.utf8).span).request else {
        Issue.record("not a part: \(line.prefix(60))")
        return
      }
      sent += part.bytes
      ends.append(part.isLast)
    }
    #expect(sent == body)
    #expect(ends == [false, false, true])
  }

  @Test func `sends no part of a long body before it is asked for`() async throws {
    let played = try PlayedAgent([[""]])
    let agent = Agent(socket: played.path)
    let request = ResourceRequest("https://api.example/x", body: [UInt8](repeating: 0, count: 100_000))
    let call = Task { try await agent.request(request) }
    _ = await played.next()
    call.cancel()
    #expect(await played.next() == "closed")
    #expect(played.requests.count == 1)
  }

  @Test func `is refused when its head is longer than a socket takes at once`() async throws {
    let played = try PlayedAgent([[""]])
    var request = ResourceRequest("https://api.example/x")
    request.headers = (0..<60).map { HTTPField("X-\($0)", String(repeating: "x", count: 2000)) }
    var thrown: AgentError?
    do throws(AgentError) { _ = try await Agent(socket: played.path).request(request) } catch { thrown = error }
    #expect(thrown?.remedy == .fixProgram && thrown?.code == "invalid_request")
    #expect(await played.next() == "closed")
  }

  @Test func `has its body read by one task`() async throws {
    let played = try PlayedAgent([[Self.head(), ""]])
    let response = try await Agent(socket: played.path).request(ResourceRequest("https://api.example/x"))
    let code = await withTaskGroup(of: String?.self) { group in
      for _ in 0..<2 {
        group.addTask {
          do throws(AgentError) { _ = try await response.makeAsyncIterator().next() } catch { return error.code }
          return nil
        }
      }
      // The other task waits.
      defer { group.cancelAll() }
      return await group.next()
    }
    #expect(code == "invalid_request")
  }
}
