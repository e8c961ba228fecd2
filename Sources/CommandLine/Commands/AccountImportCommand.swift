internal import Encoding
internal import Platform
internal import Wire

/// `agent account import`.
enum AccountImportCommand {
  @Sendable static func run(_ invocation: Invocation) throws(Failure) -> Int32 {
    let account = try AccountCommand.named(invocation)
    var settings = try SettingsOptions.read(invocation)
    (settings.proxy, settings.proxyExclusions) = LoginOptions.proxy(from: Environment.value)
    let files = try HandedFiles(invocation, beside: .refreshTokenFile)
    let token = try openToken(invocation)
    let client = DaemonClient(invocation)
    let request = Request.account(.import(account: account, settings, handsOver: files.announced))
    let result = try client.ask(request, passing: [SharedDescriptor(token)] + files.descriptors)
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
    case (nil, let text?): return try inherited(text)
    case (nil, nil), (_?, _?):
      throw Failure(.invalidRequest, "give one of --refresh-token-file and --refresh-token-fd")
    }
  }

  /// A descriptor that the caller opened for this program.
  private static func inherited(_ text: String) throws(Failure) -> FileDescriptor {
    guard let number = Int32(text), (0...65_535).contains(number) else {
      throw Failure(.invalidRequest, "\"--refresh-token-fd\" takes the number of an open descriptor")
    }
    let copy: FileDescriptor
    do {
      copy = try LoginOptions.duplicate(number)
    } catch {
      throw Failure(.invalidRequest, "descriptor \(number) cannot be read: \(error.message)")
    }
    return try LoginOptions.refuseTerminal(copy, called: "refresh token", option: .refreshTokenFile)
  }
}
