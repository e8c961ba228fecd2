package import Crypto
internal import OAuth
internal import Platform

/// The source of an account's assertion, read for each request.
package enum AssertionSource: Sendable, Hashable {
  /// An absolute path.
  case file(String)
  /// A variable in the caller's environment.
  case variable(String)
  /// The GitHub Actions token service, named by the caller's variables.
  case workflow
  /// Another account, whose server issues the assertion.
  case account(String)
  /// The sign-in request, for that sign-in only.
  case signInRequest

  /// A Kubernetes pod's token (https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/).
  private static let podFile = "/var/run/secrets/kubernetes.io/serviceaccount/token"

  /// The variable's name in GitLab's examples. Jobs may choose another.
  ///
  /// Source: https://docs.gitlab.com/ci/secrets/id_token_authentication/
  private static let jobVariable = "GITLAB_OIDC_TOKEN"

  package static let maximumVariableBytes = 128

  /// The variables that the caller must pass with each request.
  package var variables: [String] {
    switch self {
    case .variable(let name): [name]
    case .workflow: [WorkflowTokenService.variables.url, WorkflowTokenService.variables.token]
    case .file, .account, .signInRequest: []
    }
  }

  fileprivate init?(_ settings: AccountConfiguration) {
    if let account = settings.assertionAccount {
      self = .account(account)
    } else if let platform = settings.assertionFrom {
      switch platform {
      case .gitHubActions: self = .workflow
      case .gitLabCI: self = .variable(settings.assertionVariable ?? Self.jobVariable)
      case .kubernetes: self = .file(settings.assertionFile ?? Self.podFile)
      }
    } else if let path = settings.assertionFile {
      self = .file(path)
    } else {
      return nil
    }
  }

  /// Reads and checks the assertion. Blocking. Throws if it is missing or this server would reject it. `now` is in unix
  /// seconds.
  func read(
    _ passedAssertion: PassedAssertion, of account: AccountName, _ configuration: AccountConfiguration,
    for server: AuthorizationServer, now: Int, _ cancellation: Cancellation
  ) throws(SessionError) -> BearerAssertion {
    let named = configuration.assertionAudience.map { AssertionAudience($0) }
    let endpoint = server.metadata[.token]
    let expected = (named ?? .issuer).text(endpoint, server.metadata)
    let text = try content(passedAssertion, of: account, for: expected, server, cancellation)
    do throws(AssertionProblem) {
      let assertion = try BearerAssertion(text.get())
      if case .account = self {
        try assertion.check(for: expected, now: now)
        try assertion.check(isFor: configuration.clientID)
      } else {
        try assertion.check(for: expected, orFor: named == nil ? endpoint : nil, now: now)
      }
      return assertion
    } catch {
      throw .assertion(error, self)
    }
  }

  private func content(
    _ passedAssertion: PassedAssertion, of account: AccountName, for audience: String, _ server: AuthorizationServer,
    _ cancellation: Cancellation
  ) throws(SessionError) -> Result<SharedSecret, AssertionProblem> {
    switch self {
    case .file(let path): return try AssertionFile(path: path).content()
    case .variable, .workflow:
      let values = variables.compactMap { passedAssertion.variables[$0] }
      guard values.count == variables.count else { throw .assertionVariablesMissing(account: account.text, self) }
      guard case .workflow = self else { return .success(values[0]) }
      do throws(OAuthError) {
        return try WorkflowTokenService(url: values[0], token: values[1]).assertion(
          for: audience, transport: server.transport, http: server.http, cancellation: cancellation)
      } catch {
        throw .assertionSource(self, because: .oauth(error))
      }
    case .account(let other):
      guard let assertion = passedAssertion.assertion else { throw .assertionNeededFrom(other) }
      return .success(assertion)
    case .signInRequest:
      guard let assertion = passedAssertion.assertion else { throw .assertionSourceNeeded(account: account.text) }
      return .success(assertion)
    }
  }
}

/// Values in a request that provide its assertion. Never stored.
package struct PassedAssertion: Sendable {
  /// The caller's environment variables.
  package var variables: [String: SharedSecret] = [:]
  /// For ``AssertionSource/account(_:)`` and ``AssertionSource/signInRequest``.
  package var assertion: SharedSecret?

  package init(variables: [String: SharedSecret] = [:], assertion: SharedSecret? = nil) {
    self.variables = variables
    self.assertion = assertion
  }
}

extension AccountConfiguration {
  package var assertionSource: AssertionSource? { AssertionSource(self) }

  /// The configured policy, but no background renewals if callers must pass variables.
  package var renewal: RefreshPolicy {
    let needsCaller = assertionSource.map { !$0.variables.isEmpty } ?? false
    return needsCaller && refresh != .strict ? .onDemand : refresh
  }
}

/// A file with an assertion, which the platform keeps current.
struct AssertionFile {
  let path: String

  private static let readTimeout = Duration.seconds(10)

  /// Reads the file without trailing newlines. Blocking. Throws `assertionUnreadable` if reading fails.
  func content() throws(SessionError) -> Result<SharedSecret, AssertionProblem> {
    let file: SharedDescriptor
    do { file = SharedDescriptor(try PrivateDirectory.openProvidedFile(path)) } catch {
      throw .assertionUnreadable(error)
    }
    var buffer: SecretBytes
    // A newline, and a byte to detect a longer file.
    let most = BearerAssertion.maximumBytes + 2
    do { buffer = try SecretBytes(zeroed: most + 1) } catch { throw .memory }
    var count: Int
    do {
      count = try buffer.withMutableBytes { (bytes) throws(SystemError) in
        try file.readToEnd(into: &bytes, timeout: Self.readTimeout)
      }
    } catch {
      throw .assertionUnreadable(.system(error, path: path))
    }
    if count > most { return .failure(.tooLong) }
    do throws(CryptoError) {
      return try buffer.withBytes { (bytes) throws(CryptoError) in
        while count > 0, [UInt8(ascii: "\n"), UInt8(ascii: "\r")].contains(bytes[count - 1]) { count -= 1 }
        return .success(SharedSecret(try SecretBytes(copying: bytes.extracting(..<count))))
      }
    } catch {
      throw .memory
    }
  }
}
