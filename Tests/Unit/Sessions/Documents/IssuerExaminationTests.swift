import Encoding
import OAuth
import Platform
import Sessions
import TestSupport
import Testing
import Vault
import Vocabulary

@Suite struct `The examination of an issuer` {
  let directory: TemporaryDirectory
  let http = ScriptedHTTP()
  let time = ManualTime()
  let services: SessionServices

  init() throws {
    directory = try TemporaryDirectory()
    let cache = DocumentCache(directory: directory.path("cache"), http: http, time: time)
    services = SessionServices(
      vault: Vault(stateDirectory: directory.path("state"), machineIdentity: nil, userID: Machine.userID), http: http,
      time: time, documents: cache, settingsDirectory: directory.path("config"))
  }

  private func finding() throws -> IssuerExamination {
    let account = try AccountName("work")
    let configuration = AccountConfiguration(issuer: TestIssuer.text, clientID: "x")
    return services.examineIssuer(of: account, configuration, cancellation: Cancellation())
  }

  @Test func `tells the keys, and how far this clock is ahead of the server's`() throws {
    let date = [("Date", "Thu, 01 Jan 1970 00:00:10 GMT")]
    http.always(TestIssuer.metadataURL, try response(200, .object(TestIssuer.metadata), headers: date))
    http.always(TestIssuer.keysURL, try response(200, TestIssuer.first.keySet, headers: date))
    let found = try finding()
    #expect(found.keys == 1 && found.problem == nil, "\(found)")
    #expect(found.clockOffsetSeconds == time.wallSeconds() - 10)
  }

  @Test func `tells why a document is not there, and no time where the server told none`() throws {
    http.always(TestIssuer.metadataURL, try response(503, .null))
    let found = try finding()
    #expect(found.keys == nil && found.clockOffsetSeconds == nil, "\(found)")
    guard case .oauth(let error) = found.problem else { Issue.record("\(found)"); return }
    #expect(error.httpStatus == 503, "\(error)")
  }

  @Test func `changes nothing that is kept`() throws {
    http.always(TestIssuer.metadataURL, try response(200, .object(TestIssuer.metadata)))
    http.always(TestIssuer.keysURL, try response(200, TestIssuer.first.keySet))
    _ = try finding()
    let count = http.requests.count
    _ = try finding()
    #expect(http.requests.count == 2 * count)
    #expect(FileAccess(of: directory.path("cache")) == .missing)
  }
}
