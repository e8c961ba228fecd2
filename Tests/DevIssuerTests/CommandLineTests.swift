import Encoding
import JOSE
import Testing

@testable import devissuer

@Suite struct `The command line` {
  private func options(_ arguments: String...) throws -> Options {
    guard case .run(let options) = try CommandLineReader.read(arguments) else {
      throw UsageError("help")
    }
    return options
  }

  @Test func `nothing is needed`() throws {
    let options = try options()
    #expect(options.port == 0 && !options.hasControl && options.log == nil)
    #expect(options.settings == Settings())
  }

  @Test func `every option is read in both forms`() throws {
    let options = try options(
      "--port=8080", "--access-token-lifetime", "60", "--refresh-token-lifetime=70", "--device-code-lifetime", "80",
      "--code-lifetime=90", "--exact-redirect-uri=http://localhost:1/a", "--exact-redirect-uri", "https://b.example/",
      "--redirect-path=/cb", "--require-par", "--break-authorization=twice", "--break-par", "http",
      "--break-id-token=nonce", "--break-metadata=plain",
      "--break-jwks=weak", "--break-userinfo", "no_sub", "--break-body=bomb", "--break-body-at=userinfo",
      "--break-registration=method", "--break-resource=server", "--open-registration", "--target=api",
      "--client-jwks=/k", "--require-scope=a", "--require-acr=strong", "--require-max-age=5",
      "--redirect-to=https://c.example/",
      "--interval=1", "--algorithm", "ES256", "--approve=always", "--no-rotation", "--no-refresh-token",
      "--no-id-token", "--id-token-secret", "--sign-userinfo", "--delay-token-ms", "5", "--log=-", "--control",
      "--client-secret-file=/x",
      "--claim", "school_id=0042", "--claim=roles=[\"a\"]", "--claim", "level=3")
    #expect(options.port == 8080)
    #expect(options.algorithm == .ES256)
    #expect(options.hasControl)
    #expect(options.log == "-")
    #expect(options.clientSecretFile == "/x")
    #expect(options.claims == ["school_id": "0042", "roles": ["a"], "level": 3])
    #expect(options.exactRedirectURIs == ["http://localhost:1/a", "https://b.example/"])
    #expect(options.redirectPath == "/cb")
    #expect(options.targets == ["api"])
    #expect(options.clientKeyFile == "/k")
    var settings = Settings()
    settings.codeLifetime = 90
    settings.pushedRequests = .required
    settings.registrationFault = .method
    settings.resourceFault = .server
    settings.opensRegistration = true
    settings.resourceRules = ResourceRules(scope: "a", acr: "strong", maxAge: 5)
    settings.redirectTarget = "https://c.example/"
    settings.authorizationFault = .twice
    settings.pushedRequestFault = .http
    settings.idTokenFault = .nonce
    settings.metadataFault = .plain
    settings.keySetFault = .weak
    settings.userInfoFault = .noSUB
    settings.bodyFault = .bomb
    settings.bodyFaultEndpoint = .userinfo
    settings.accessTokenLifetime = 60
    settings.refreshTokenLifetime = 70
    settings.deviceCodeLifetime = 80
    settings.interval = 1
    settings.approval = .always
    settings.rotatesRefreshTokens = false
    settings.issuesRefreshTokens = false
    settings.issuesIDTokens = false
    settings.usesClientSecret = true
    settings.signsUserInfo = true
    settings.tokenDelayMilliseconds = 5
    #expect(options.settings == settings)
  }

  @Test(arguments: [
    (["--nonsense"], "unknown option --nonsense"),
    (["x"], "unexpected argument x"),
    ([""], "unexpected argument "),
    (["--port"], "--port needs a value"),
    (["--port", "65536"], "--port: a whole number from 0 to 65535"),
    (["--port", "-1"], "--port: a whole number from 0 to 65535"),
    (["--port="], "--port: a whole number from 0 to 65535"),
    (["--port=1", "--port=1"], "--port comes twice"),
    (["--interval", "3601"], "--interval: a whole number from 0 to 3600"),
    (["--device-code-lifetime", "0"], "--device-code-lifetime: a whole number from 1 to 86400"),
    (["--code-lifetime", "601"], "--code-lifetime: a whole number from 1 to 600"),
    (
      ["--exact-redirect-uri", "http://a/#f"],
      "--exact-redirect-uri: an absolute URI without a fragment, at most 16 of them"
    ),
    (["--break-par", "x"], "--break-par: malformed, http, missing, unknown, status"),
    (["--break-body-at", "control"], "--break-body-at: one of the endpoints in --help"),
    (["--require-acr", "gold"], "--require-acr: basic or strong"),
    (["--require-scope", "a b"], "--require-scope: one scope"),
    (["--redirect-to", "x"], "--redirect-to: an absolute URI"),
    (["--target", ""], "--target: at most 16 names"),
    (["--redirect-path", "cb"], "--redirect-path: a path that begins with /"),
    (["--redirect-path", "/cb?a"], "--redirect-path: a path that begins with /"),
    (["--algorithm", "HS256"], "--algorithm: unknown algorithm"),
    (["--algorithm", "none"], "--algorithm: unknown algorithm"),
    (["--approve", "yes"], "--approve: ask, always or never"),
    (["--control=1"], "--control takes no value"),
    (["--log", ""], "a file name is empty"),
    (["--claim", "x"], "--claim: NAME=VALUE"),
    (["--claim", "=x"], "--claim: NAME=VALUE"),
    (["--claim", "sub=x"], "--claim: the issuer itself sets sub"),
    (["--claim", "a=1", "--claim", "a=2"], "--claim: a comes twice, or there are more than 64"),
  ])
  func `what cannot be obeyed is named`(arguments: [String], message: String) {
    #expect(throws: UsageError(message)) { try CommandLineReader.read(arguments) }
  }

  @Test func `the help names every option`() throws {
    guard case .help = try CommandLineReader.read(["--control", "--help"]) else {
      Issue.record("no help")
      return
    }
    for option in OptionSpecification.all { #expect(CommandLineReader.help.contains(option.name)) }
    let faults =
      IDTokenFault.allCases.map(\.rawValue) + BodyFault.allCases.map(\.rawValue) + KeySetFault.allCases.map(\.rawValue)
    for fault in faults { #expect(CommandLineReader.help.contains(fault)) }
    for name in ControlRequest.parameterNames { #expect(CommandLineReader.help.contains(name)) }
  }
}
