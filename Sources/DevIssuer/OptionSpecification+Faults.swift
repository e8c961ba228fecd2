extension OptionSpecification {
  /// Misbehaviour from the start; the control endpoint can change each of them.
  static let faults: [OptionSpecification] = [
    fault("--break-authorization", "do something wrong with answers of the authorization endpoint") {
      $0.authorizationFault = $1
    },
    fault("--break-par", "with answers to pushed requests") { $0.pushedRequestFault = $1 },
    fault("--break-registration", "with answers to registrations") { $0.registrationFault = $1 },
    fault("--break-resource", "with what protected resources say of themselves") { $0.resourceFault = $1 },
    fault("--break-id-token", "with ID Tokens") { $0.idTokenFault = $1 },
    fault("--break-metadata", "with the metadata") { $0.metadataFault = $1 },
  ]

  private static func fault<F: RawRepresentable<String> & CaseIterable & Sendable>(
    _ name: String, _ help: String, _ set: @escaping @Sendable (inout Settings, F) -> Void
  ) -> OptionSpecification {
    let names = F.allCases.map(\.rawValue)
    return OptionSpecification(
      name: name, metavariable: "FAULT", help: "\(help):\n\(lines(names))",
      apply: { (text, options) throws(UsageError) in
        guard let fault = F(rawValue: text) else { throw UsageError("\(name): \(names.joined(separator: ", "))") }
        set(&options.settings, fault)
      })
  }

  /// The names, about sixty characters in a line.
  private static func lines(_ names: [String]) -> String {
    var lines = [names.first ?? ""]
    for name in names.dropFirst() {
      let longer = lines[lines.count - 1] + ", " + name
      if longer.utf8.count <= 60 {
        lines[lines.count - 1] = longer
      } else {
        lines[lines.count - 1] += ","
        lines.append(name)
      }
    }
    return lines.joined(separator: "\n")
  }
}
