import Crypto
import OAuth
import Testing

// AWS Security Token Service, AssumeRoleWithWebIdentity.
@Suite struct `A role that a token is traded for` {
  private static let arn = "arn:aws:iam::123456789012:role/r"

  private func assume(
    _ http: ScriptedHTTP, sessionName: String = "agent", seconds: Int? = nil
  ) throws -> WebIdentityRole.Credentials {
    let role = try #require(WebIdentityRole(arn: Self.arn, sessionName: sessionName, seconds: seconds))
    return try role.assume(
      with: try secret("T0k+en"), at: try endpoint("https://sts.example/"), transport: Transport(), http: http,
      cancellation: Cancellation())
  }

  private static func answer(_ credentials: String) -> String {
    "<R xmlns=\"x\"><AssumeRoleWithWebIdentityResult><Audience>a</Audience><Credentials>\(credentials)</Credentials></AssumeRoleWithWebIdentityResult></R>"
  }

  private static let key = "<AccessKeyId>ASIA</AccessKeyId>"
  private static let secretKey = "<SecretAccessKey>s/+=</SecretAccessKey>"
  private static let session = "<SessionToken>t/+=</SessionToken>"
  private static let end = "<Expiration>2027-01-15T08:00:00Z</Expiration>"

  @Test func `gives credentials and when they end`() throws {
    let http = ScriptedHTTP(
      try response(type: "text/xml", Self.answer(Self.session + Self.secretKey + Self.end + Self.key)))
    let credentials = try assume(http, seconds: 900)
    #expect(credentials.accessKeyID == "ASIA" && credentials.expiresAt == 1_800_000_000)
    #expect(try credentials.secretAccessKey.open().text == "s/+=")
    #expect(try credentials.sessionToken.open().text == "t/+=")
    let request = try #require(http.requests.first)
    #expect(request.url == "https://sts.example/" && !request.followsRedirects && request.authorization == nil)
    #expect(
      request.form == [
        "Action=AssumeRoleWithWebIdentity", "Version=2011-06-15", "RoleArn=\(Self.arn)", "RoleSessionName=agent",
        "DurationSeconds=900", "WebIdentityToken=T0k+en",
      ])
  }

  @Test(arguments: [
    "", "{}", answer(key + secretKey + session), answer(key + key + secretKey + session + end),
    answer(key + secretKey + session + "<Expiration>soon</Expiration>"),
    answer(key + "<SecretAccessKey></SecretAccessKey>" + session + end),
    answer(key + "<SecretAccessKey>a&amp;b</SecretAccessKey>" + session + end),
    answer(key + "<SecretAccessKey><![CDATA[x]]></SecretAccessKey>" + session + end),
    answer(key + "<SecretAccessKey>a b</SecretAccessKey>" + session + end),
    answer(key + "<SecretAccessKey>ab" + session + end), answer(key + secretKey + "<SessionToken>t") + end,
    "<AccessKeyId>ASIA</AccessKeyId",
  ])
  func `gives none where the answer is another`(body: String) throws {
    let error = #expect(throws: OAuthError.self) { try assume(ScriptedHTTP(try response(type: "text/xml", body))) }
    #expect(error?.code == .malformedResponse)
  }

  @Test(arguments: [
    (400, "InvalidIdentityToken", OAuthError.Code.otherServerError), (403, "AccessDenied", .otherServerError),
    (400, "Throttling", .rateLimited), (503, "ServiceUnavailable", .serverUnavailable), (307, "x", .otherServerError),
  ])
  func `is refused in the service's words`(status: Int, code: String, expected: OAuthError.Code) throws {
    let body = "<ErrorResponse><Error><Code>\(code)</Code><Message>no</Message></Error></ErrorResponse>"
    let error = #expect(throws: OAuthError.self) {
      try assume(ScriptedHTTP(try response(status, type: "text/xml", body)))
    }
    #expect(error?.code == expected && error?.serverError == code && error?.httpStatus == status)
    #expect(error?.serverDescription == "no")
  }

  @Test(arguments: [
    (
      "Not authorized to &quot;assume&quot; &amp;lt; &x; a\u{1B}[31m\nb",
      #"Not authorized to "assume" &lt; &x; a[31m b"#
    ),
    ("", nil), ("<b>no</b>", nil), ("your T0k+en&amp;123 is none", nil), (String(repeating: "a ", count: 200), nil),
  ])
  func `says what the service says, without markup, secrets and what acts on a terminal`(
    message: String, expected: String?
  ) throws {
    let body = "<ErrorResponse><Error><Code>AccessDenied</Code><Message>\(message)</Message></Error></ErrorResponse>"
    let role = try #require(WebIdentityRole(arn: Self.arn, sessionName: "agent", seconds: nil))
    let error = #expect(throws: OAuthError.self) {
      try role.assume(
        with: try secret("T0k+en&123"), at: try endpoint("https://sts.example/"), transport: Transport(),
        http: ScriptedHTTP(try response(403, type: "text/xml", body)), cancellation: Cancellation())
    }
    if message.utf8.count < 200 {
      #expect(error?.serverDescription == expected)
    } else {
      #expect(error?.serverDescription?.count == 201)
    }
  }

  @Test(
    arguments: [
      ("arn", "agent", nil), ("arn:aws:iam::123456789012:role/a b", "agent", nil), (arn, "a", nil), (arn, "a b", nil),
      (arn, "agent", 899), (arn, "agent", 43_201),
    ] as [(String, String, Int?)])
  func `is none by a name that the service cannot take`(arn: String, sessionName: String, seconds: Int?) {
    #expect(WebIdentityRole(arn: arn, sessionName: sessionName, seconds: seconds) == nil)
  }
}
