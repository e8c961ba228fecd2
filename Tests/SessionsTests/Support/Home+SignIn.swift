import Encoding
import OAuth
import Platform
import Sessions
import TestSupport

/// Sign-ins by the device grant, in its two steps.
extension Home {
  static let codes: JSON = [
    "device_code": "dc-1", "user_code": "WDJB-MJHT", "verification_uri": "https://as.example/go", "expires_in": 600,
    "interval": 7,
  ]

  func prepare(
    _ configuration: AccountConfiguration = Home.configuration, _ given: SignInSecrets = .init()
  ) throws -> SignIn.Waiting.Device {
    http.always(TestIssuer.deviceURL, try response(200, Self.codes))
    return try SignIn.Request(
      account: account, configuration: configuration, services: services, settingsDirectory: settingsDirectory,
      cancellation: Cancellation()
    ) { _ in given }.device()
  }

  /// Polls once, receives `answer`, and completes the sign-in with it.
  func finish(_ signIn: SignIn.Waiting.Device, _ answer: HTTPResponse) throws -> SignIn.Outcome {
    http.answer(TestIssuer.tokenURL, answer)
    return try finish(signIn)
  }

  /// Polls once, and completes the sign-in with the returned tokens.
  func finish(_ signIn: SignIn.Waiting.Device) throws -> SignIn.Outcome {
    guard case .signedIn(let outcome) = try signIn.poll(approved: { true }) else { throw NoToken() }
    return outcome
  }

  struct NoToken: Error {}
}

extension SignIn.Request {
  /// The sign-in before the user is asked.
  func prepared() throws -> SignIn.Prepared { try prepare { $0 } }

  /// The sign-in that waits for a device code's approval.
  func device() throws -> SignIn.Waiting.Device {
    try prepare { (prepared) throws(SessionError) in try SignIn.Waiting.Device(prepared) }
  }

  /// The outcome of a sign-in without a user.
  func unattendedOutcome() throws -> SignIn.Outcome {
    let grant = unattended ?? .client
    return try prepare { (prepared) throws(SessionError) in try prepared.signIn(grant) }
  }
}
