import Encoding
import Testing
import Vocabulary
import Wire

@testable import CommandLine

@Suite struct `A call of a helper` {
  @Test(arguments: [
    "", "https://", "https:///x", "https://host.example?x", "https://host.example#@evil.example", "me@host.example",
    "https://me@host.example/x", "https://host.example\\@evil.example/", "https://host.example /x", "https://:443",
    "host.example\nhost=evil.example", "host.example/a\nb", "host.example\r", "host.example/\u{7F}",
  ]) func `names no host that programs may read differently`(url: String) { #expect(!HelperCall.namesPlainHost(url)) }

  @Test(arguments: [
    "https://host.example", "host.example:5000/v2", "https://host.example/a@b?c#d", "imaps://host.example",
    "https://[::1]:8443/", "127.0.0.1:5000",
  ]) func `names a host`(url: String) { #expect(HelperCall.namesPlainHost(url)) }

  @Test(arguments: [HelperProtocolName.header, .mcp, .go, .cargo, .kubectl, .gcp])
  func `refuses a user name that the answer cannot contain, unless the place lists it`(name: HelperProtocolName) throws
  {
    let trial = HelperTrial(name, url: "https://host.example", user: "me")
    #expect(try trial.place()?.user == "me")
    let members = #""use":"\#(name == .kubectl ? "id_token" : "access_token")","place":"https://host.example""#
    #expect(throws: Failure.self) { try trial.answer(members) }
    #expect(try trial.answer(members + #","user":"me""#) != nil)
    guard [.header, .mcp, .go, .cargo].contains(name) else { return }
    let basic = try trial.answer(members + #","header":"Basic""#)
    #expect(basic?.contains("Basic bWU6VDBrLmVu") == true)
  }

  @Test func `obeys a user name where the answer contains one`() throws {
    let docker = HelperTrial(.docker, "get", input: "host.example", user: "me")
    #expect(try docker.place()?.user == "me" && docker.answer()?.contains(#""Username":"me""#) == true)
    let keyring = HelperTrial(.keyring, "get", "host.example", "you", "--mode=creds", user: "me")
    #expect(try keyring.place()?.user == "me" && keyring.answer() == "me\nT0k.en\n")
    var aws = HelperTrial(.aws, user: "me")
    aws.call.role = "arn:aws:iam::123456789012:role/r"
    #expect(throws: Failure.self) { try aws.helper.request(aws.call) }
  }
}

@Suite struct `A helper for docker` {
  @Test(arguments: [
    ("host.example", "host.example"), ("https://host.example", "https://host.example"),
    ("https://host.example/\n", "https://host.example"), ("https://host.example/v2/\r\n", "https://host.example"),
    ("https://host.example/v1/", "https://host.example"), ("host.example:5000", "host.example:5000"),
    ("127.0.0.1:5000/v2", "127.0.0.1:5000"),
  ])
  func `reads each spelling of a registry`(input: String, place: String) throws {
    let trial = HelperTrial(.docker, "get", input: input)
    #expect(try trial.place()?.url == place)
    let answer = try #require(try trial.answer(#""use":"access_token","user":"<token>""#))
    let object = try JSON(parsing: Array(answer.utf8))
    let asked = input.filter { $0 != "\n" && $0 != "\r" && $0 != "\r\n" }
    #expect(object["ServerURL"]?.string == asked)
    #expect(object["Username"] == "<token>" && object["Secret"] == "T0k.en")
  }

  @Test(arguments: ["", "\n", "a b", "a\0", "\u{7F}", String(repeating: "a/", count: 1025)])
  func `has no credential for what is not an address`(input: String) {
    let failure = #expect(throws: Failure.self) { try HelperTrial(.docker, "get", input: input).place() }
    #expect(failure?.code == .originNotListed)
  }

  @Test func `tells by docker's words that there is none, and any other error on standard output`() {
    let trial = HelperTrial(.docker, "get")
    #expect(
      trial.failureOutput(.originNotListed)
        == HelperFailureOutput(output: "credentials not found in native keychain\n", isSilent: true, status: 1))
    #expect(
      trial.failureOutput(.signedOut) == HelperFailureOutput(output: "agent: error: no (agent login work)\n", status: 1)
    )
  }

  @Test func `lists places with their user names, stores nothing and erases nothing`() throws {
    let trial = HelperTrial(.docker, "list")
    guard case .listedURLs(let text) = try trial.helper.request(trial.call) else {
      throw Failure(.internalError, "no list")
    }
    #expect(
      text([("https://a.example", "me"), ("https://b.example", "<token>")])
        == "{\"https://a.example\":\"me\",\"https://b.example\":\"<token>\"}\n")
    #expect(text([]) == "{}\n")
    #expect(try HelperTrial(.docker, "erase", input: "host.example").text() == "")
    #expect(try HelperTrial(.docker, "version").text()?.hasSuffix(" \(Product.version)\n") == true)
    for word in ["store", "x"] { #expect(throws: Failure.self) { try HelperTrial(.docker, word).text() } }
  }
}

// client.authentication.k8s.io.
@Suite struct `A helper for kubectl` {
  private static let group = "client.authentication.k8s.io/"

  private func trial(_ information: String?, url: String? = nil) -> HelperTrial {
    HelperTrial(.kubectl, url: url, variables: information.map { ["KUBERNETES_EXEC_INFO": $0] } ?? [:])
  }

  @Test(arguments: ["v1", "v1beta1"]) func `answers in the version that is asked`(version: String) throws {
    let trial = trial(
      #"{"apiVersion":"\#(Self.group)\#(version)","kind":"ExecCredential","spec":{"interactive":false,"cluster":{"server":"https://k8s.example:6443"}}}"#
    )
    #expect(try trial.place() == TokenRequest.Destination(url: "https://k8s.example:6443", kind: .idToken))
    #expect(
      try trial.answer()
        == #"{"apiVersion":"\#(Self.group)\#(version)","kind":"ExecCredential","status":{"token":"T0k.en","expirationTimestamp":"2027-01-15T08:00:00Z"}}"#
        + "\n")
  }

  @Test func `names no end where none is known, and takes another place from its command line`() throws {
    let answer = try trial(nil, url: "https://a.example").answer(#""use":"id_token""#)
    #expect(answer == #"{"apiVersion":"\#(Self.group)v1","kind":"ExecCredential","status":{"token":"T0k.en"}}"# + "\n")
  }

  @Test(arguments: [
    "{", "[]", "{}", #"{"apiVersion":1}"#, #"{"apiVersion":"client.authentication.k8s.io/v1alpha1"}"#, "\u{1}",
  ])
  func `refuses what it cannot read`(information: String) {
    #expect(throws: Failure.self) { try trial(information).place() }
  }
}

@Suite struct `A helper for keyring` {
  @Test func `answers pip`() throws {
    let trial = HelperTrial(.keyring, "--mode=creds", "--output=json", "get", "https://host.example/simple/")
    #expect(try trial.place() == TokenRequest.Destination(url: "https://host.example/simple/"))
    #expect(try trial.answer() == "{\"username\":\"oauth2\",\"password\":\"T0k.en\"}\n")
    let user = HelperTrial(.keyring, "--mode=creds", "--output=json", "get", "host.example", "me")
    #expect(try user.place() == TokenRequest.Destination(url: "host.example", user: "me"))
    #expect(try user.answer() == "{\"username\":\"me\",\"password\":\"T0k.en\"}\n")
  }

  @Test(arguments: [
    (["https://me@host.example/simple/", "me"], "https://host.example/simple/", "me"),
    (["https://me@host.example/simple/", "--mode", "creds"], "https://host.example/simple/", "me"),
    (["https://a:b@host.example", "--mode=creds"], "https://host.example", "a"),
    (["me@host.example:8080", "you"], "host.example:8080", "you"),
    (["https://host.example/a@b", "me"], "https://host.example/a@b", "me"),
    (["https://evil.example\\@host.example", "me"], "https://evil.example\\@host.example", "me"),
  ]) func `leaves the user name in a URL out of the place`(words: [String], url: String, user: String) throws {
    var trial = HelperTrial(.keyring, "get")
    trial.call.arguments += words
    #expect(try trial.place() == TokenRequest.Destination(url: url, user: user))
  }

  @Test func `answers uv`() throws {
    #expect(try HelperTrial(.keyring, "get", "host.example:8080", "me").answer() == "T0k.en\n")
    #expect(try HelperTrial(.keyring, "get", "https://host.example", "--mode", "creds").answer() == "oauth2\nT0k.en\n")
  }

  @Test(arguments: [
    [], ["get"], ["get", "a"], ["get", "a", "b", "c"], ["set", "a", "b"], ["del", "a", "b"], ["--list-backends"],
    ["diagnose"], ["get", "a", "b", "--mode", "x"], ["get", "a", "b", "--output"], ["-b", "x", "get", "a", "b"],
  ])
  func `leaves everything else to the next program`(arguments: [String]) throws {
    var trial = HelperTrial(.keyring)
    trial.call.arguments = arguments
    guard case .nextProgram("keyring") = try trial.helper.request(trial.call) else {
      throw Failure(.internalError, "not left")
    }
    #expect(trial.failureOutput(.originNotListed) == HelperFailureOutput(status: 1, nextProgram: "keyring"))
    #expect(trial.failureOutput(.signedOut) == HelperFailureOutput(status: 1))
  }
}

@Suite struct `A helper for AWS` {
  @Test(arguments: [
    ([:], "https://sts.amazonaws.com"), (["AWS_REGION": "eu-west-1"], "https://sts.eu-west-1.amazonaws.com"),
    (["AWS_DEFAULT_REGION": "us-gov-west-1"], "https://sts.us-gov-west-1.amazonaws.com"),
    (["AWS_REGION": "cn-north-1", "AWS_DEFAULT_REGION": "x"], "https://sts.cn-north-1.amazonaws.com.cn"),
    (["AWS_REGION": "us-iso-east-1"], "https://sts.us-iso-east-1.c2s.ic.gov"),
    (["AWS_REGION": "us-isob-east-1"], "https://sts.us-isob-east-1.sc2s.sgov.gov"),
    (["AWS_REGION": "us-isof-south-1"], "https://sts.us-isof-south-1.csp.hci.ic.gov"),
    (["AWS_REGION": "eu-isoe-west-1"], "https://sts.eu-isoe-west-1.cloud.adc-e.uk"),
    (["AWS_REGION": "eusc-de-east-1"], "https://sts.eusc-de-east-1.amazonaws.eu"),
    (["AWS_REGION": "x", "AWS_ENDPOINT_URL_STS": "https://sts.example"], "https://sts.example"),
  ]) func `asks the service of the region's partition`(variables: [String: String], url: String) throws {
    var trial = HelperTrial(.aws, variables: variables)
    trial.call.role = "arn:aws:iam::123456789012:role/r"
    guard case .role(let request, _) = try trial.helper.request(trial.call) else {
      throw Failure(.internalError, "no role")
    }
    #expect(request.url == url)
  }
}

// cargo's credential provider protocol, version 1.
@Suite struct `A helper for cargo` {
  private func trial(_ request: String) -> HelperTrial { HelperTrial(.cargo, "--cargo-plugin", input: request) }

  private static let get =
    #"{"v":1,"registry":{"index-url":"sparse+https://host.example/index/","name":"x"},"kind":"get","operation":"read","args":["helper","cargo","--account","work"]}"#

  @Test func `answers with the whole header, and for how long`() throws {
    #expect(try trial(Self.get).place() == TokenRequest.Destination(url: "https://host.example/index/"))
    #expect(try trial(Self.get).account() == "work")
    #expect(
      try trial(Self.get).answer()
        == #"{"Ok":{"kind":"get","token":"Bearer T0k.en","cache":"expires","expiration":1800000000,"operation_independent":true}}"#
        + "\n")
    #expect(
      try trial(Self.get).answer(#""use":"access_token","header":"Authorization:""#)
        == #"{"Ok":{"kind":"get","token":"T0k.en","cache":"never","operation_independent":true}}"# + "\n")
    #expect(HelperCommand.helper(.cargo).greeting == "{\"v\":[1]}\n")
  }

  @Test func `prints the token alone where cargo reads standard output`() throws {
    let trial = HelperTrial(.cargo, variables: ["CARGO_REGISTRY_INDEX_URL": "sparse+https://host.example/index/"])
    #expect(try trial.place()?.url == "https://host.example/index/")
    #expect(try trial.answer() == "Bearer T0k.en\n")
  }

  @Test(arguments: [
    "", "{", "[]", #"{"v":2}"#, #"{"v":1,"kind":"get"}"#, #"{"v":1,"registry":{"index-url":3},"kind":"get"}"#,
  ])
  func `refuses what it cannot read, in JSON`(request: String) {
    #expect(throws: Failure.self) { try trial(request).place() }
  }

  @Test(arguments: ["login", "logout", "x"]) func `signs nobody in or out`(kind: String) throws {
    let request = #"{"v":1,"registry":{"index-url":"sparse+https://host.example/"},"kind":"\#(kind)"}"#
    #expect(try trial(request).text() == #"{"Err":{"kind":"operation-not-supported"}}"# + "\n")
  }

  @Test func `tells a registry that is not listed from a session that is over`() {
    #expect(trial("").failureOutput(.originNotListed).output == #"{"Err":{"kind":"url-not-supported"}}"# + "\n")
    #expect(
      trial("").failureOutput(.signedOut).output
        == #"{"Err":{"kind":"other","message":"agent: error: no (agent login work)","caused-by":[]}}"# + "\n")
  }
}

// `go help goauth`.
@Suite struct `A helper for go` {
  @Test func `prints a block for a place`() throws {
    let trial = HelperTrial(.go, "https://host.example/m", input: "HTTP/1.1 404 Not Found\r\n\r\n")
    #expect(try trial.place() == TokenRequest.Destination(url: "https://host.example/m"))
    #expect(try trial.answer() == "https://host.example\n\nAuthorization: Bearer T0k.en\n\n")
    #expect(try HelperTrial(.go).answer() == "https://host.example\n\nAuthorization: Bearer T0k.en\n\n")
    #expect(try HelperTrial(.go).answer(#""use":"access_token","place":"http://127.0.0.1:80""#) == "")
  }

  @Test(arguments: [
    ("HTTP/1.1 401 Unauthorized\r\n\r\n", true), ("HTTP/2.0 401\n", true), ("HTTP/1.1 403 Forbidden\r\n", false),
    ("", false), ("401", false), ("HTTP/1.1\n401 x", false), ("GET 401 x", false),
  ])
  func `asks for another token after 401 only`(answer: String, isRefused: Bool) throws {
    #expect(try HelperTrial(.go, "https://host.example/m", input: answer).place()?.isRefused == isRefused)
  }
}

@Suite struct `A plain helper` {
  private static let url = "https://host.example/x"

  @Test(arguments: [
    (HelperProtocolName.header, #""use":"access_token""#, "Authorization: Bearer T0k.en\n"),
    (.header, #""use":"access_token","header":"PRIVATE-TOKEN:""#, "PRIVATE-TOKEN: T0k.en\n"),
    (.header, #""use":"access_token","header":"Basic","user":"me""#, "Authorization: Basic bWU6VDBrLmVu\n"),
    (.curl, #""use":"access_token""#, "oauth2-bearer = \"T0k.en\"\n"),
    (.curl, #""use":"access_token","user":"a\"b\\c""#, "user = \"a\\\"b\\\\c\"\noauth2-bearer = \"T0k.en\"\n"),
    (.curl, #""use":"access_token","header":"token""#, "header = \"Authorization: token T0k.en\"\n"),
    (.netrc, #""use":"access_token""#, "machine host.example login oauth2 password T0k.en\n"),
    (.netrc, #""use":"access_token","user":"me""#, "machine host.example login me password T0k.en\n"),
    (.mcp, #""use":"access_token""#, "{\"Authorization\":\"Bearer T0k.en\"}\n"),
    (
      .gcp, #""use":"id_token","use_expires_at":1800000000"#,
      #"{"version":1,"success":true,"token_type":"urn:ietf:params:oauth:token-type:id_token","id_token":"T0k.en","expiration_time":1800000000}"#
        + "\n"
    ),
    (
      .gcp, #""use":"access_token""#,
      #"{"version":1,"success":true,"token_type":"urn:ietf:params:oauth:token-type:jwt","id_token":"T0k.en"}"# + "\n"
    ),
  ])
  func `writes its form`(name: HelperProtocolName, members: String, expected: String) throws {
    let trial = HelperTrial(name, url: Self.url)
    #expect(try trial.place()?.url == Self.url)
    #expect(try trial.answer(members) == expected)
  }

  @Test func `tells a failure as JSON where Google's library reads it`() throws {
    let failureOutput = HelperTrial(.gcp).failureOutput(.signedOut)
    let object = try JSON(parsing: Array(failureOutput.output.utf8))
    #expect(object["success"] == false && object["version"]?.int == 1 && object["code"] == "signed_out")
    #expect(object["message"]?.string?.hasPrefix("agent: error: no") == true)
    #expect(HelperTrial(.header).failureOutput(.signedOut) == HelperFailureOutput())
  }

  // RFC 7628 section 3.1, RFC 5801 section 4.
  @Test func `writes the first message of a mail server's mechanism`() throws {
    func plain(_ text: String?) throws -> String {
      String(decoding: try Base64.decode(String(try #require(text).dropLast())), as: UTF8.self)
    }
    let url = "imaps://imap.example"
    let xoauth2 = HelperTrial(.xoauth2, url: url, user: "me@example.com")
    #expect(try plain(try xoauth2.answer()) == "user=me@example.com\u{1}auth=Bearer T0k.en\u{1}\u{1}")
    let bearer = HelperTrial(.oauthbearer, url: url, user: "a,b=c")
    #expect(
      try plain(try bearer.answer())
        == "n,a=a=2Cb=3Dc,\u{1}host=imap.example\u{1}port=993\u{1}auth=Bearer T0k.en\u{1}\u{1}")
    let listed = HelperTrial(.oauthbearer, url: "submission://mail.example:2525")
    #expect(
      try plain(try listed.answer(#""use":"access_token","user":"me""#))
        == "n,a=me,\u{1}host=mail.example\u{1}port=2525\u{1}auth=Bearer T0k.en\u{1}\u{1}")
    #expect(throws: Failure.self) { try HelperTrial(.xoauth2, url: url).answer() }
    let unplaced = HelperTrial(.oauthbearer, user: "me")
    #expect(try unplaced.place() == TokenRequest.Destination(url: nil, user: "me"))
    #expect(try plain(try unplaced.answer()) == "n,a=me,\u{1}auth=Bearer T0k.en\u{1}\u{1}")
    #expect(throws: Failure.self) { try HelperTrial(.oauthbearer, url: "https://a b").place() }
    #expect(throws: Failure.self) { try HelperTrial(.xoauth2, url: url, user: "a\u{1}b").answer() }
  }

  @Test func `gives no token that is bound to a key, but an ID Token`() throws {
    #expect(throws: Failure.self) { try HelperTrial(.header, url: Self.url).answer(type: "DPoP") }
    #expect(try HelperTrial(.header, url: Self.url).answer(#""use":"id_token""#, type: "DPoP") != nil)
  }

  @Test(arguments: [
    (["/usr/bin/git-credential-agent", "get"], ["helper", "git", "get"]),
    (["docker-credential-work", "list"], ["helper", "docker", "list"]),
    (["cargo-credential-agent", "--cargo-plugin"], ["helper", "cargo", "--", "--cargo-plugin"]),
    (["agent", "--cargo-plugin"], ["helper", "cargo", "--", "--cargo-plugin"]),
    (["agent", "helper", "cargo", "--cargo-plugin"], ["helper", "cargo", "--", "--cargo-plugin"]),
    (
      ["agent", "helper", "cargo", "--cargo-plugin", "--account", "work"],
      ["helper", "cargo", "--account", "work", "--", "--cargo-plugin"]
    ),
    (["agent", "helper", "cargo", "--", "--cargo-plugin"], ["helper", "cargo", "--", "--cargo-plugin"]),
    (["agent", "helper", "git", "--cargo-plugin"], ["helper", "git", "--cargo-plugin"]),
    (["./keyring", "get", "--mode", "creds", "x"], ["helper", "keyring", "--", "get", "--mode", "creds", "x"]),
    (["git-credential-", "get"], ["helper", "git", "get"]),
    (["agent", "token"], ["token"]), (["keyrings", "token"], ["token"]), ([], []), (["agent"], []),
  ])
  func `answers by the name that it was called by`(arguments: [String], expected: [String]) {
    #expect(HelperProtocolName.commandLine(arguments) == expected)
  }
}
