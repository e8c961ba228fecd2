import Encoding
import Sessions
import Testing
import Vocabulary
import Wire

@testable import Daemon

@Suite struct `Requests on their way to who answers them` {
  private let home: DaemonHome
  private let dispatcher: Dispatcher

  init() throws {
    home = try DaemonHome(signedIn: "work", renewals: 1)
    dispatcher = Dispatcher(home.context, try DaemonParts(home.context))
    home.runJobs()
  }

  private func ask(_ request: Request, _ number: Int, isVerbose: Bool = false) {
    dispatcher.handle(RequestEnvelope(request, verbose: isVerbose), .number(number), passed: [])
  }

  private func names(_ number: Int) -> [JSON?]? {
    home.sink.results[number]?["accounts"]?.array?.map { $0["name"] }
  }

  @Test func `see the settings as another process has left them, which those for the daemon itself do not wait for`()
    throws
  {
    try home.add("mail")
    ask(.list, 1)
    ask(.daemonStatus, 2)
    #expect(home.sink.results[1] == nil && home.sink.results[2]?["uptime"] != nil)
    home.runJobs()
    #expect(names(1) == ["mail", "work"] || names(1) == ["work", "mail"])
  }

  @Test func `are forgotten when their senders go while the settings are read`() throws {
    ask(.list, 1)
    dispatcher.abandon(.number(1))
    ask(.list, 2)
    home.runJobs()
    #expect(home.sink.results[1] == nil && names(2) == ["work"])
  }

  @Test func `are refused once the daemon stops`() throws {
    dispatcher.stop()
    for (number, request) in [(1, Request.daemonStatus), (2, .token(TokenRequest(account: "work")))] {
      ask(request, number)
      home.runJobs()
      #expect(home.sink.failures[number] == .stopping)
    }
    #expect(home.http.roles.isEmpty && home.sink.results.isEmpty && home.sink.lines.isEmpty)
  }

  @Test func `get the steps of the work if they ask for them`() throws {
    ask(.token(TokenRequest(account: "work")), 1)
    ask(.token(TokenRequest(account: "work")), 2, isVerbose: true)
    home.runJobs()
    for number in 1...2 { #expect(home.sink.lines[number]?.contains("at-1") == true) }
    #expect(home.sink.events[1] == nil && home.sink.events[2]?.isEmpty == false)
  }

  @Test func `are told when they cannot be served at all`() throws {
    let call = CallRequest(account: "work", url: "https://api.example/", method: "NO METHOD")
    for (number, request) in [(1, Request.call(call)), (2, .verify(VerifyRequest()))] {
      ask(request, number)
      home.runJobs()
      #expect(home.sink.failures[number]?.code == .invalidRequest, "a caller is left waiting")
    }
  }

  @Test func `that change something are answered once their mark is written, others at once`() throws {
    let result = Reply.result(["done": true])
    home.context.log.publish(.activeChanged, try AccountName("work"))
    ask(.use(account: "work"), 1)
    ask(.list, 2)
    #expect(dispatcher.hold(result, of: .number(1)) && !dispatcher.hold(result, of: .number(2)))
    home.runJobs()
    #expect(!dispatcher.hold(result, of: .number(1)))
  }
}
