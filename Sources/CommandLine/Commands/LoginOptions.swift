internal import Encoding
internal import Platform
internal import Wire

/// Makes a login request of a command line.
enum LoginOptions {
  static func request(_ invocation: Invocation) throws(Failure) -> LoginRequest {
    var request = LoginRequest()
    request.settings = try SettingsOptions.read(invocation)
    (request.account, request.issuer) = try accountAndIssuer(invocation)
    request.flow = try flow(invocation)
    request.canOpenBrowser = request.flow == nil && BrowserPlace.current.canOpen
    request.demands.prompt = invocation.text(.prompt)
    request.demands.loginHint = invocation.text(.loginHint)
    request.demands.acrValues = invocation.texts(.acr)
    request.demands.maxAge = invocation.seconds(.maxAge)
    request.registersClient = invocation.has(.register)
    if invocation.has(.initialAccessTokenFile), !request.registersClient {
      throw Failure(.invalidRequest, "--initial-access-token-file belongs to --register")
    }
    request.isGuest = invocation.has(.guest)
    (request.proxy, request.proxyExclusions) = proxy(from: Environment.value)
    return request
  }

  /// How to sign in, when an option says so.
  private static func flow(_ invocation: Invocation) throws(Failure) -> LoginRequest.Flow? {
    let named: [(OptionName, LoginRequest.Flow)] = [(.browser, .browser), (.device, .device), (.paste, .paste)]
    let given = named.filter { invocation.has($0.0) }
    guard given.count < 2 else {
      throw Failure(.invalidRequest, "--\(given[0].0.rawValue) and --\(given[1].0.rawValue) exclude each other")
    }
    return given.first?.1
  }

  /// The operand is an account's name, or the URL of an issuer or a resource. It is an issuer as long as nobody says
  /// otherwise: see ``ResourceLogin``.
  private static func accountAndIssuer(_ invocation: Invocation) throws(Failure) -> (String?, String?) {
    guard let operand = urlOperand(invocation) else { return (try invocation.account(), invocation.text(.issuer)) }
    return (try invocation.account(operand: nil), invocation.text(.issuer) ?? operand)
  }

  /// The operand, when it is a URL.
  static func urlOperand(_ invocation: Invocation) -> String? {
    invocation.operands.first.flatMap { $0.utf8.contains(UInt8(ascii: ":")) ? $0 : nil }
  }

  /// The proxy for https in an environment, and the hosts that it is not for, by the names that curl
  /// obeys: the small letters first.
  static func proxy(from variables: (String) -> String?) -> (url: String?, exclusions: String?) {
    func first(_ names: [String]) -> String? {
      names.compactMap { variables($0) }.first { !$0.isEmpty }
    }
    guard let url = first(["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]) else { return (nil, nil) }
    return (url, first(["no_proxy", "NO_PROXY"]))
  }

  /// Opens a file that holds a secret; `-` is standard input.
  ///
  /// The daemon reads it, so that the secret never is in this process's memory.
  static func openSecret(
    _ path: String, called name: String = "client secret", option: OptionName = .clientSecretFile
  ) throws(Failure) -> FileDescriptor {
    let file: FileDescriptor
    do {
      file = try path.utf8.elementsEqual("-".utf8) ? duplicate(0) : FileDescriptor(opening: path, for: .reading)
    } catch {
      throw Failure(.invalidRequest, "the \(name) file \"\(path)\" cannot be read: \(error.message)")
    }
    return try refuseTerminal(file, called: name, option: option)
  }

  /// A descriptor that the caller opened for this program.
  ///
  /// - Parameters:
  ///   - option: What names it.
  ///   - other: The option that takes a file instead.
  static func inherited(
    _ text: String, called name: String, _ option: OptionName, _ other: OptionName
  ) throws(Failure) -> FileDescriptor {
    guard let number = Int32(text), (0...65_535).contains(number) else {
      throw Failure(.invalidRequest, "\"--\(option.rawValue)\" takes the number of an open descriptor")
    }
    let copy: FileDescriptor
    do {
      copy = try duplicate(number)
    } catch {
      throw Failure(.invalidRequest, "descriptor \(number) cannot be read: \(error.message)")
    }
    return try refuseTerminal(copy, called: name, option: other)
  }

  static func refuseTerminal(
    _ file: consuming FileDescriptor, called name: String, option: OptionName
  ) throws(Failure) -> FileDescriptor {
    if Terminal.isTerminal(file.raw) {
      throw Failure(
        .invalidRequest, "a \(name) is not read from a terminal, where it could be seen",
        hint: "name a file with --\(option.rawValue), or pipe the secret in")
    }
    return file
  }

  /// A second descriptor for what the caller opened as this number.
  static func duplicate(_ number: Int32) throws(SystemError) -> FileDescriptor {
    let inherited = FileDescriptor(owning: number)
    do {
      let copy = try inherited.duplicate()
      _ = inherited.release()
      return copy
    } catch {
      _ = inherited.release()
      throw error
    }
  }
}
