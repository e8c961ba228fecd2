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
    _ configuration: AccountConfiguration = Home.configuration, _ given: SignIn.Secrets = .init()
  ) throws -> DeviceSignIn {
    http.always(TestIssuer.deviceURL, try response(200, Self.codes))
    return try DeviceSignIn.prepare(
      SignIn.Preparation(
        account: account, configuration: configuration, given: given, services: services, cancellation: Cancellation()))
  }

  /// Polls once, gets `answer`, and finishes with it.
  func finish(_ signIn: DeviceSignIn, _ answer: HTTPResponse) throws -> SignIn.Outcome {
    http.answer(TestIssuer.tokenURL, answer)
    return try finish(signIn)
  }

  /// Polls once, and finishes with the tokens that this brings.
  func finish(_ signIn: DeviceSignIn) throws -> SignIn.Outcome {
    guard case .signedIn(let outcome) = try signIn.poll(approved: { true }) else { throw NoToken() }
    return outcome
  }

  struct NoToken: Error {}
}
