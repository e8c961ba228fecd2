import Encoding

extension OptionSpecification {
  /// What the protected resources do.
  static let resources: [OptionSpecification] = [
    OptionSpecification(
      name: "--require-scope", metavariable: "SCOPE", help: "protected resources want this scope (RFC 6750)",
      apply: { (text, options) throws(UsageError) in
        guard ScopeSet(text)?.values.count == 1 else { throw UsageError("--require-scope: one scope") }
        options.settings.resourceRules.scope = text
      }),
    OptionSpecification(
      name: "--require-acr", metavariable: "ACR", help: "they want this kind of sign-in: basic or strong (RFC 9470)",
      apply: { (text, options) throws(UsageError) in
        guard BrowserSession.contexts.contains(text) else { throw UsageError("--require-acr: basic or strong") }
        options.settings.resourceRules.acr = text
      }),
    number("--require-max-age", "S", "they want a sign-in no older than this, in seconds", 0...315_360_000) {
      $0.resourceRules.maxAge = $1
    },
    flag("--require-dpop", "they take only tokens that are bound to a key (RFC 9449)") {
      $0.settings.resourceRules.wantsBoundTokens = true
    },
    OptionSpecification(
      name: "--redirect-to", metavariable: "URI", help: "where /redirect sends to (default: http://resource.invalid/)",
      apply: { (text, options) throws(UsageError) in
        guard (try? URI(text)) != nil else { throw UsageError("--redirect-to: an absolute URI") }
        options.settings.redirectTarget = text
      }),
  ]
}
