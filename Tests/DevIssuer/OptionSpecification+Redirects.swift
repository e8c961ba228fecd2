import Encoding

extension OptionSpecification {
  /// What the authorization endpoint takes, and where its answers may go.
  static let redirects: [OptionSpecification] = [
    OptionSpecification(
      name: "--exact-redirect-uri", metavariable: "URI",
      help: "take this redirect URI byte for byte, and no other but those given in the same way",
      mayRepeat: true,
      apply: { (text, options) throws(UsageError) in
        guard let uri = try? URI(text), uri.fragment == nil, options.exactRedirectURIs.count < 16 else {
          throw UsageError("--exact-redirect-uri: an absolute URI without a fragment, at most 16 of them")
        }
        options.exactRedirectURIs.append(text)
      }),
    OptionSpecification(
      name: "--redirect-path", metavariable: "PATH",
      help: "else take any port of 127.0.0.1 and [::1], with this path or one below it (default: /)",
      apply: { (text, options) throws(UsageError) in
        guard text.utf8.first == UInt8(ascii: "/"), (try? URI("http://127.0.0.1" + text))?.path == text else {
          throw UsageError("--redirect-path: a path that begins with /")
        }
        options.redirectPath = text
      }),
    OptionSpecification(
      name: "--target", metavariable: "NAME",
      help: "take this resource or audience, and no other but those given in the same way (default: any)",
      mayRepeat: true,
      apply: { (text, options) throws(UsageError) in
        guard !text.isEmpty, options.targets.count < 16 else { throw UsageError("--target: at most 16 names") }
        options.targets.append(text)
      }),
    flag("--require-par", "take pushed authorization requests only (RFC 9126)") {
      $0.settings.pushedRequests = .required
    },
    flag("--no-par", "take no pushed authorization requests") { $0.settings.pushedRequests = .off },
    flag("--open-registration", "let anyone register a client (RFC 7591)") { $0.settings.opensRegistration = true },
  ]
}
