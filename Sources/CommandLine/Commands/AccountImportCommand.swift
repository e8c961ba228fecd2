internal import Encoding
internal import Platform
internal import Wire

/// `agent account import`.
enum AccountImportCommand {
  @Sendable static func run(_ invocation: Invocation) throws(Failure) -> Int32 {
    let account = try AccountCommand.named(invocation)
    var settings = try SettingsOptions.read(invocation)
    (settings.proxy, settings.proxyExclusions) = LoginOptions.proxy(from: Environment.value)
    let files = try HandedFiles(invocation)
    let token = try openToken(invocation)
    let client = DaemonClient(invocation)
    let request = Request.account(.import(account: account, settings, handsOver: files.announced))
    let descriptors = [SharedDescriptor(token)] + files.descriptors
    let result = try client.ask(request, passing: descriptors, preparing: settings.protection)
    if invocation.has(.json) {
      try Console.answer(result)
    } else {
      client.console.note(LoginText.success(result, now: SystemTime().wallSeconds()))
    }
    return 0
  }

  /// The descriptor that the token is read from, by the daemon: it never is in this process's memory.
  private static func openToken(_ invocation: Invocation) throws(Failure) -> FileDescriptor {
    switch (invocation.text(.refreshTokenFile), invocation.text(.refreshTokenFD)) {
    case (let path?, nil):
      return try LoginOptions.openSecret(path, called: "refresh token", option: .refreshTokenFile)
    case (nil, let text?):
      return try LoginOptions.inherited(text, called: "refresh token", .refreshTokenFD, .refreshTokenFile)
    case (nil, nil), (_?, _?):
      throw Failure(.invalidRequest, "give one of --refresh-token-file and --refresh-token-fd")
    }
  }
}
