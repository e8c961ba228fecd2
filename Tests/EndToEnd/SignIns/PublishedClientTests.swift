import Encoding
import Platform
import TestSupport
import Testing

/// A client whose identifier is its metadata's URL (draft-ietf-oauth-client-id-metadata-document-03), at an issuer
/// that fetches them.
@Suite(.needsPrograms) struct `A client that publishes what it is` {
  /// A web server of the test with one document.
  private final class Web: Sendable {
    private struct Answer: Sendable {
      var status = 200
      var headers = ["Content-Type: application/json"]
      var body = ""
    }

    private let answer: Monitor<Answer>
    private let server: LoopbackServer
    var url: String { server.url("/agent.json") }
    var fetches: Int { server.requests.count }

    init() throws {
      let answer = Monitor(Answer())
      self.answer = answer
      server = try LoopbackServer { conversation in
        while try conversation.readRequest() != nil {
          let answer = answer.withLock { $0 }
          try conversation.respond(answer.status, headers: answer.headers, body: answer.body)
        }
      }
    }

    func publish(_ body: String, status: Int = 200, _ headers: String...) {
      answer.withLock { $0 = Answer(status: status, headers: headers + ["Content-Type: application/json"], body: body) }
    }

    func document(_ tree: AgentTree, _ options: [String] = []) throws -> String {
      let result = try tree.agent(
        ["account", "client-metadata", "--client-id", url, "--allow-http-loopback"] + options)
      try #require(result.succeeded, "\(result.errorText)")
      return result.outputText
    }
  }

  private static func with(
    _ options: [String] = [], _ body: (Issuer, AgentTree, Web) throws -> Void
  ) throws {
    try Issuer.with(["--client-documents", "loopback"] + options) { issuer in
      try AgentTree.with { tree in try body(issuer, tree, try Web()) }
    }
  }

  private static func line(_ issuer: Issuer, _ web: Web, account: String = "work") -> [String] {
    ["login", account, "--issuer", issuer.url, "--client-id", web.url, "--allow-http-loopback", "--json"]
  }

  @Test func `signs in by a code and in the browser, renews its tokens and signs out`() throws {
    try Self.with { issuer, tree, web in
      let document = try web.document(tree)
      #expect(document.hasPrefix("{\n  \"client_id\": \"\(web.url)\",\n") && document.hasSuffix("\n}\n"))
      web.publish(document)
      let login = try tree.agent(Self.line(issuer, web) + ["--device"])
      try #require(login.succeeded, "\(login.errorText)")
      #expect(web.fetches == 1)
      #expect(try !tree.token("work", "--force-refresh").isEmpty)

      let waiting = try BrowserLogin(tree, Self.line(issuer, web, account: "home") + ["--browser", "--no-open"])
      let redirect = try URI(waiting.redirectURI)
      #expect(redirect.host == "127.0.0.1" && redirect.path == "/callback")
      #expect(try BrowserLogin.browse(waiting.url) == "200")
      #expect(try waiting.end().event["event"] == "signed_in")
      #expect(try !tree.token("home", "--force-refresh").isEmpty)
      #expect(try tree.agent("account", "client-metadata", "home").outputText == document)
      let end = try tree.json("logout", "home")
      #expect(end["accounts"]?.array?.first?["revoked"] == true)
      #expect(try issuer.count("client_failures") == 0)
    }
  }

  @Test func `proves itself with its key, of which the public half alone is published`() throws {
    try Self.with { issuer, tree, web in
      let file = try ClientKeyPair.make(in: tree).file
      let options = ["--client-key-file", file, "--dpop"]
      let document = try web.document(tree, options)
      #expect(!document.contains("\"d\"") && document.contains("\"dpop_bound_access_tokens\": true"))
      web.publish(document)
      let login = try tree.agent(Self.line(issuer, web) + ["--device"] + options)
      try #require(login.succeeded, "\(login.errorText)")
      let proofs = try issuer.count("client_assertions")
      #expect(proofs >= 2)
      #expect(try tree.json("token", "work", "--force-refresh")["token_type"] == "DPoP")
      #expect(try issuer.count("client_assertions") == proofs + 1)
      // RFC 6749 section 4.4: without a user.
      let guest = try tree.agent(["workload"] + Self.line(issuer, web, account: "guest").dropFirst() + options)
      #expect(guest.succeeded, "\(guest.errorText)")
      try ProcessRunner.shell("rm '\(file)'")
      #expect(try tree.agent("account", "client-metadata", "work").outputText == document)
      #expect(try tree.agent("logout", "work").succeeded)
    }
  }

  @Test(
    arguments: [
      ("another identifier", "client_id of the client's document is not its URL"),
      ("a secret", "a client's document has no client_secret"),
      ("a shared secret", "a client's document is for no shared secret"),
      ("a redirect", "the client's URL answers with status 302"), ("too much", "cannot be fetched: tooLarge"),
      ("another type", "is not application/json"), ("nothing", "the client's URL answers with status 404"),
    ]) func `is refused with a document that is not good, and told why`(fault: String, message: String) throws
  {
    try Self.with { issuer, tree, web in
      let document = try web.document(tree)
      let more = { (member: String) in "{\(member),\n" + document.dropFirst() }
      switch fault {
      case "another identifier": web.publish(document.replacing("agent.json", with: "other.json"))
      case "a secret": web.publish(more(#""client_secret":"s""#))
      case "a shared secret": web.publish(document.replacing(#""none""#, with: #""client_secret_post""#))
      case "a redirect": web.publish("", status: 302, "Location: \(web.url)?2")
      case "too much": web.publish(document + String(repeating: " ", count: 5 * 1024))
      case "another type": web.publish(document, status: 200, "Content-Type: text/plain")
      default: web.publish(document, status: 404)
      }
      for flow in ["--device", "--browser"] {
        let login = try tree.agent(Self.line(issuer, web) + [flow, "--no-open"])
        #expect(login.status == .exited(1) && login.failureCode == "client_rejected", "\(login.errorText)")
        #expect(login.errorText.contains(message), "\(login.errorText)")
        #expect(login.errorText.contains("agent help account client-metadata"), "\(login.errorText)")
      }
      #expect(web.fetches == 2)
    }
  }

  @Test func `is refused with another redirect URI than it published`() throws {
    try Self.with { issuer, tree, web in
      web.publish(try web.document(tree, ["--redirect-uri", "http://127.0.0.1:47600/other"]))
      let login = try tree.agent(Self.line(issuer, web) + ["--browser", "--no-open"])
      #expect(login.status == .exited(1) && login.errorText.contains("redirect_uri"), "\(login.errorText)")
      #expect(try issuer.count("authorizations") == 0)
    }
  }

  @Test func `has no secret`() throws {
    try Self.with { issuer, tree, web in
      web.publish(try web.document(tree))
      let login = try tree.agent(Self.line(issuer, web) + ["--device", "--client-secret-file", "-"], input: "s")
      #expect(login.status == .exited(2) && login.failureCode == "invalid_request", "\(login.errorText)")
      #expect(try issuer.requests() == 0 && web.fetches == 0)
      let basic = ["--token-endpoint-auth-method", "client_secret_basic"]
      let document = try tree.agent(["account", "client-metadata", "--client-id", "https://me.example/a"] + basic)
      #expect(document.failed(2) && document.errorText.contains("cannot have a secret"), "\(document.errorText)")
    }
  }

  @Test func `is refused where the server does not announce that it takes one, with what to do`() throws {
    try Issuer.with(["--client-documents", "off", "--open-registration"]) { issuer in
      try AgentTree.with { tree in
        let web = try Web()
        for flow in ["--device", "--browser"] {
          let login = try tree.agent(Self.line(issuer, web).dropLast() + [flow, "--no-open"])
          #expect(login.failed(1), "\(login.errorText)")
          #expect(login.errorText.contains("client_id_metadata_document_supported"))
          #expect(
            login.errorText.contains(
              "agent login work --issuer \(issuer.url) --allow-http-loopback \(flow) --no-open --register\n"),
            "\(login.errorText)")
        }
        #expect(try issuer.count("authorizations") == 0 && issuer.count("pushed_requests") == 0)
        #expect(try issuer.count("device_authorizations") == 0 && issuer.count("client_failures") == 0)
      }
    }
  }

  @Test func `is what a person without a client can make, for a resource too`() throws {
    try Self.with { issuer, tree, web in
      let make = "agent help account client-metadata"
      let plain = try tree.agent("login", "work", "--issuer", issuer.url, "--allow-http-loopback")
      #expect(plain.failed(2) && plain.errorText.contains(make), "\(plain.errorText)")
      let resource = ["login", issuer.url + "/resource", "--issuer", issuer.url, "--allow-http-loopback", "--device"]
      let none = try tree.agent(resource)
      #expect(none.failed(2) && none.errorText.contains(make), "\(none.errorText)")
      web.publish(try web.document(tree))
      let login = try tree.agent(resource + ["--client-id", web.url])
      #expect(login.succeeded, "\(login.errorText)")
      #expect(try tree.agent("request", issuer.url + "/resource").succeeded)
    }
  }

  @Test func `is fetched over https from a server whose certificate is good`() throws {
    try AgentTree.with { tree in
      let authority = try CertificateAuthority(in: tree)
      try authority.certify("web", subject: "web", names: "IP:127.0.0.1")
      try tree.directory.write("server.py", Self.script)
      let server = try RunningProcess(
        executable: "/usr/bin/env", arguments: ["python3", tree.path("server.py")], directory: tree.directory.path)
      defer { _ = try? server.terminate() }
      let url = "https://127.0.0.1:\(try server.readLine())/agent.json"
      let document = try tree.agent("account", "client-metadata", "--client-id", url)
      try #require(document.succeeded, "\(document.errorText)")
      try tree.directory.write("agent.json", document.outputText)
      for (options, status) in [([], 1), (["--ca-file", tree.path("ca.pem")], 0)] as [([String], Int32)] {
        try Issuer.with(options) { issuer in
          let login = try tree.agent([
            "login", "work", "--issuer", issuer.url, "--client-id", url, "--allow-http-loopback", "--device",
          ])
          #expect(login.status == .exited(status), "\(login.errorText)")
          if status == 0 { #expect(try !tree.token("work", "--force-refresh").isEmpty) }
        }
      }
    }
  }

  private static let script = """
    import http.server, ssl

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain("web.pem", "web.key")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    print(server.server_address[1], flush=True)
    server.serve_forever()
    """
}
