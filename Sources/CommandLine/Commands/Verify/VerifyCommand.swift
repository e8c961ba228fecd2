internal import Encoding
internal import Platform
internal import Wire

/// `agent verify`: prints each verdict as it arrives.
enum VerifyCommand {
  static let verify = Command(
    .verify,
    summary: "Verify tokens by their issuer's keys",
    options: [
      Option.issuer.withSummary(
        "Use the keys of this issuer; it need not be an account's; with `--jwks`, the token must be from it",
        in: .keys),
      Option.jwks.declaration,
      Option.audiences.declaration,
      Option.profile.declaration, Option.requiredClaims.declaration, Option.allowMissing.declaration,
      Option.claimRequirements.declaration, Option.algorithms.declaration, Option.type.declaration,
      Option.signatureOnly.declaration, Option.clockSkew.declaration,
      Option.caFile.withSummary(
        "Also trust the certificate authorities in this PEM file for the issuer of `--issuer`"),
      Option.allowHTTPLoopback.withSummary(
        "Allow plain http to this machine for the issuer of `--issuer`"),
    ],
    shortHelp: ["audience", "issuer", "jwks", "profile", "require", "claim", "algorithms", "type"],
    operands: .file,
    examples: [
      Example(
        "Check the ID Token of the active account, as any other program could",
        "agent token --id-token | agent verify --audience my-cli"),
      Example("Check a file of tokens with local keys", "agent verify tokens.txt --jwks keys.json"),
      Example(
        "Check in a build job that they are ID Tokens for a specific subject",
        "agent verify tokens.txt --jwks keys.json --profile id-token --claim sub=ann"),
    ],
    makeAction: makeAction)

  static func makeAction(_ invocation: Invocation) throws(Failure) -> Action {
    try check(invocation)
    let client = DaemonClient(invocation)
    let request = try request(invocation)
    let (jwks, path) = (invocation[.jwks], invocation.operands.first)
    let timeout = invocation[.timeout]
    return Action { () throws(Failure) in
      // Connect first, so that users do not type a token in vain.
      let connection = try connect(client, hasKeys: request.passesKeySet)
      var passed: [SharedDescriptor] = []
      if let jwks { passed.append(SharedDescriptor(try openKeys(jwks, within: timeout))) }
      let tokens = try TokenInput.open(path, within: timeout, client.console)
      let (isJSON, now) = (client.console.usesJSON, SystemTime().wallSeconds())
      let tally = try client.verify(request, of: tokens, over: connection, passing: passed) {
        (block) throws(Failure) in try printVerdicts(block, isJSON: isJSON, now: now)
      }
      guard tally.tokens > 0 else { throw TokenInput.missingToken }
      if tally.invalid == 0 { return 0 }
      let status = tally.invalid == tally.undecided ? ExitStatus.tryLater : .tokenNotValid
      return status.rawValue
    }
  }

  private static func printVerdicts(_ block: LineBlocks.Block, isJSON: Bool, now: Int) throws(Failure) {
    if isJSON {
      // Keep the start of an incomplete line for the next block.
      let end = block.lines.last?.range.map { min($0.upperBound + 1, block.bytes.count) } ?? 0
      return try Console.answer(block.bytes.span.extracting(..<end))
    }
    var text: [UInt8] = []
    text.reserveCapacity(block.lines.count * 128)
    for line in block.lines {
      if let range = line.range { VerdictText.append(block.bytes.span.extracting(range), now: now, to: &text) }
    }
    try Console.answer(text.span)
  }

  /// Uses a private daemon if the keys are in a file.
  private static func connect(_ client: DaemonClient, hasKeys: Bool) throws(Failure) -> DaemonConnection {
    guard hasKeys else { return try client.connect() }
    return try DaemonLauncher.startPrivate(client.console, because: "keys at hand need no other", needsHome: false)
  }

  /// Rejects contradictory options, and tokens as arguments.
  private static func check(_ invocation: Invocation) throws(Failure) {
    let (path, jwks, issuer) = (invocation.operands.first, invocation[.jwks], invocation[.issuer])
    try TokenInput.refuseTokens(
      among: [path, jwks, issuer, invocation[.type]] + invocation[.audiences] + invocation[.requiredClaims]
        + invocation[.claimRequirements].map { $0.split(separator: "=", maxSplits: 1).last.map(String.init) },
      of: .verify)
    func refuse(_ options: [OptionDeclaration], _ message: (String) -> Phrase) throws(Failure) {
      for option in options where invocation.has(option) { throw Failure(.invalidRequest, message("--\(option.name)")) }
    }
    if let jwks {
      try refuse([Option.account.declaration, Option.caFile.declaration, Option.allowHTTPLoopback.declaration]) {
        Phrase("--jwks already sets the keys, so \($0) cannot be used")
      }
      if jwks == "-", path == nil || path == "-" {
        throw Failure(.invalidRequest, "standard input cannot contain both the keys and the tokens")
      }
    } else if issuer == nil || invocation[.account] != nil {
      try refuse([Option.caFile.declaration, Option.allowHTTPLoopback.declaration]) {
        Phrase("\($0) can be used only with --issuer; an account has its own")
      }
    }
    if invocation[.profile] != nil {
      try refuse([Option.type.declaration]) {
        Phrase("--profile sets the type, so \($0) cannot be used")
      }
    }
    guard invocation[.signatureOnly] else { return }
    try refuse(
      [
        Option.audiences.declaration, Option.clockSkew.declaration, Option.requiredClaims.declaration,
        Option.claimRequirements.declaration, Option.allowMissing.declaration, Option.profile.declaration,
      ] + (jwks == nil ? [] : [Option.issuer.declaration])
    ) {
      Phrase("--signature-only checks no claims, so \($0) cannot be used")
    }
  }

  private static func request(_ invocation: Invocation) throws(Failure) -> VerifyRequest {
    var request = VerifyRequest()
    request.issuer = invocation[.issuer]
    request.passesKeySet = invocation[.jwks] != nil
    if request.issuer != nil, !request.passesKeySet {
      request.account = try invocation.namedAccount(operand: nil)
      request.settings.caFile = try invocation[.caFile].map { (path) throws(Failure) in
        try SettingsOptions.absolute(path)
      }
      request.settings.allowHTTPLoopback = invocation[.allowHTTPLoopback]
      (request.settings.proxy, request.settings.proxyExclusions) = LoginOptions.proxy(from: Environment.value)
    } else if !request.passesKeySet {
      request.account = try invocation.account(operand: nil)
    }
    request.audiences = invocation[.audiences]
    request.algorithms = invocation[.algorithms]
    request.type = invocation[.type]
    request.profile = invocation[.profile]
    request.requiredClaims = invocation[.requiredClaims]
    request.allowsMissingExpiry = invocation[.allowMissing]
    request.claims = invocation[.claimRequirements]
    request.signatureOnly = invocation[.signatureOnly]
    request.clockSkew = invocation[.clockSkew]
    request.brief = !invocation[.json]
    return request
  }

  private static func openKeys(_ path: String, within seconds: Int?) throws(Failure) -> FileDescriptor {
    try NamedFile.openInput(path, within: seconds) {
      Failure(.invalidRequest, Phrase("cannot read the key set \"\(path)\": \($0)"))
    }
  }
}

enum VerdictText {
  /// In characters.
  private static let valueLimit = 100

  /// Titles of the claims that may remain unchecked.
  private static let unchecked = ["iss": "issuer", "aud": "audience"]

  /// Writes a verdict's line, or nothing for invalid text. `now` is in Unix seconds.
  static func append(_ line: Span<UInt8>, now: Int, to text: inout [UInt8]) {
    guard let verdict = try? JSONLayout(parsing: line).root else { return }
    guard verdict["valid"]?.value(in: line).bool == true else {
      text.append(utf8: reason(verdict.value(in: line)))
      return
    }
    func add(_ title: String, _ value: JSONLayout.Node?) {
      guard let value, value.kind == .string else { return }
      text.append(utf8: title)
      let start = text.count
      value.appendString(in: line, to: &text)
      if TerminalText.isPlain(text.span.extracting(start...), limit: valueLimit) { return }
      text.removeSubrange(start...)
      text.append(utf8: TerminalText.clean(value.string(in: line) ?? "", limit: valueLimit))
    }
    text.append(utf8: "valid: ")
    let header = verdict["header"]
    text.append(utf8: header?["alg"]?.string(in: line) ?? "signed")
    add(", key ", header?["kid"])
    if let claims = verdict["claims"] {
      add(", issuer ", claims["iss"])
      add(", subject ", claims["sub"])
      let end = claims["exp"]?.value(in: line).number?.rounded(.down)
      text.append(utf8: end.map { ", expires \(ReadableTime.distance(to: $0, now: now))" } ?? ", never expires")
      let names = (verdict["not_checked"]?.elements ?? []).compactMap { unchecked[$0.string(in: line) ?? ""] }
      if !names.isEmpty { text.append(utf8: ", \(names.joined(separator: " and ")) not checked") }
    } else {
      text.append(utf8: ", nothing but the signature was checked")
    }
    text.append(UInt8(ascii: "\n"))
  }

  private static func reason(_ verdict: JSON) -> String {
    let code = TerminalText.clean(verdict["code"]?.string ?? FailureCode.internalError.rawValue, limit: valueLimit)
    return "not valid (\(code)): \(TerminalText.clean(verdict["message"]?.string ?? "no reason", limit: 400))\n"
  }
}
