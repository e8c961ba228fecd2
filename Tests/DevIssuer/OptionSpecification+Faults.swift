extension OptionSpecification {
  /// Misbehaviour from the start; the control endpoint can change each of them.
  static let faults: [OptionSpecification] = [
    fault("--break-authorization", "spoil answers of the authorization endpoint") {
      $0.authorizationFault = $1
    },
    fault("--break-par", "spoil answers to pushed requests") { $0.pushedRequestFault = $1 },
    fault("--break-registration", "spoil answers to registrations") { $0.registrationFault = $1 },
    fault("--break-resource", "spoil what protected resources say of themselves") { $0.resourceFault = $1 },
    fault("--break-id-token", "spoil ID Tokens") { $0.idTokenFault = $1 },
    fault("--break-metadata", "spoil the metadata") { $0.metadataFault = $1 },
    fault("--break-jwks", "spoil the JWK Set") { $0.keySetFault = $1 },
    fault("--break-userinfo", "spoil UserInfo") { $0.userInfoFault = $1 },
    fault("--break-body", "spoil the answers of an endpoint; also the values of body") { $0.bodyFault = $1 },
    OptionSpecification(
      name: "--break-body-at", metavariable: "ENDPOINT",
      help: "whose answers (default: token):\n" + endpoints.joined(separator: "\n"),
      apply: { (text, options) throws(UsageError) in
        guard let endpoint = Endpoint(rawValue: text), endpoint != .control else {
          throw UsageError("--break-body-at: one of the endpoints in --help")
        }
        options.settings.bodyFaultEndpoint = endpoint
      }),
  ]

  private static var endpoints: [String] {
    CommandLineReader.lines(Endpoint.allCases.filter { $0 != .control }.map(\.rawValue), width: 60)
  }

  private static func fault<F: RawRepresentable<String> & CaseIterable & Sendable>(
    _ name: String, _ help: String, _ set: @escaping @Sendable (inout Settings, F) -> Void
  ) -> OptionSpecification {
    let names = F.allCases.map(\.rawValue)
    return OptionSpecification(
      name: name, metavariable: "FAULT",
      help: "\(help):\n\(CommandLineReader.lines(names, width: 60).joined(separator: "\n"))",
      apply: { (text, options) throws(UsageError) in
        guard let fault = F(rawValue: text) else { throw UsageError("\(name): \(names.joined(separator: ", "))") }
        set(&options.settings, fault)
      })
  }
}
