import Encoding
import OAuth
import Platform
import Sessions
import TestSupport

/// Sign-ins by the device grant, in two steps.
extension Home {
  static let codes: JSON = [
    "device_code": "dc-1", "user_code": "WDJB-MJHT", "verification_uri": "https://as.example/go", "expires_in": 600,
    "interval": 7,
  ]

  func prepare(
    _ configuration: AccountConfiguration = Home.configuration, _ given: SignInSecrets = .init()
  ) throws -> SignIn.PendingApproval.Device {
    http.always(TestIssuer.deviceURL, try response(200, Self.codes))
    return try SignIn.Request(
      account: account, configuration: configuration, services: services,
      cancellation: Cancellation()
    ) { _ in given }.device()
  }

  /// Polls once, with `answer` as the response, and completes the sign-in.
  func finish(_ signIn: SignIn.PendingApproval.Device, _ answer: HTTPResponse) throws -> SignIn.Outcome {
    http.answer(TestIssuer.tokenURL, answer)
    return try finish(signIn)
  }

  /// With tokens as the response.
  func finish(_ signIn: SignIn.PendingApproval.Device) throws -> SignIn.Outcome {
    guard case .signedIn(let outcome) = try signIn.poll(isWanted: { true }) else { throw NoToken() }
    return outcome
  }

  struct NoToken: Error {}
}

extension SignIn.Request {
  func prepared() throws -> SignIn.Prepared { try prepare { $0 } }

  func device() throws -> SignIn.PendingApproval.Device {
    try prepare { (prepared) throws(SessionError) in try SignIn.PendingApproval.Device(prepared) }
  }

  func unattendedOutcome() throws -> SignIn.Outcome {
    let grant = unattended ?? .clientCredentials
    return try prepare { (prepared) throws(SessionError) in try prepared.signIn(grant) }
  }
}
