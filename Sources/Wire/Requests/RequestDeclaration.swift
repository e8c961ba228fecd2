/// A kind of request: its members, properties and manual page.
package protocol RequestBody: MemberList, Sendable, Hashable {
  var properties: RequestProperties { get }
  var manualEntry: RequestManualEntry { get }
}

/// A request's name and traits, the party that answers it, the account it is about, and how long it may wait.
package struct RequestProperties: Sendable {
  /// The value of the `request` member.
  package let name: String
  private let traits: RequestTraits
  /// The party whose response the request waits for.
  package let source: AnswerSource
  package let subject: RequestSubject
  /// How long the request waits for an unreachable server, in seconds, in addition to its timeout.
  package let waitSeconds: Int

  init(
    _ name: String, _ traits: RequestTraits = [], from source: AnswerSource = .daemon, about subject: RequestSubject,
    waitSeconds: Int? = nil
  ) {
    self.name = name
    self.traits = traits
    self.source = source
    self.subject = subject
    self.waitSeconds = waitSeconds ?? 0
  }

  /// Whether the account depends on the caller's directory.
  package var followsDirectory: Bool { subject == .activeAccount || subject == .listingAccount }

  /// Whether the request has a trait. The generic `contains(_:)` costs page faults.
  package func has(_ trait: RequestTraits) -> Bool { traits.rawValue & trait.rawValue != 0 }
}

/// Properties that control how a request is handled.
package struct RequestTraits: OptionSet, Sendable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  /// The request uses no network.
  package static var local: RequestTraits { RequestTraits(rawValue: 1) }
  /// The request can be repeated if the result is unknown.
  package static var repeatable: RequestTraits { RequestTraits(rawValue: 2) }
  /// The request does not depend on the settings file.
  package static var withoutSettings: RequestTraits { RequestTraits(rawValue: 4) }
  /// The request may change an account or the vault.
  package static var change: RequestTraits { RequestTraits(rawValue: 8) }
  /// The request has no deadline by default.
  package static var endless: RequestTraits { RequestTraits(rawValue: 16) }
  /// The request may be sent by the peers of a lease.
  package static var lent: RequestTraits { RequestTraits(rawValue: 32) }
  /// The request may be sent by `agent-lease`.
  package static var fromLease: RequestTraits { RequestTraits(rawValue: 128) }
  /// The request may be sent by the peers of a lease that lends the token itself.
  package static var lentWithToken: RequestTraits { RequestTraits(rawValue: 64) }
}

/// The party whose response a request waits for.
package enum AnswerSource: Sendable {
  case daemon, authorizationServer, resource
}

/// The account that a request is about.
package enum RequestSubject: Sendable, Equatable {
  case account(String)
  /// The active account, unless the caller's directory has one.
  case activeAccount
  /// An account whose settings list the request's URL.
  case listingAccount
  /// The request concerns all accounts, or no account.
  case any

  static func accountOrActive(_ name: String?) -> RequestSubject { name.map(RequestSubject.account) ?? .activeAccount }
  /// The given account, or else one that lists the request's URL.
  static func accountOrListing(_ name: String?) -> RequestSubject {
    name.map(RequestSubject.account) ?? .listingAccount
  }
  static func accountOrAny(_ name: String?) -> RequestSubject { name.map(RequestSubject.account) ?? .any }
}

/// The description of a request in the manual, without its members.
package struct RequestManualEntry: Sendable {
  /// What the request does, in mdoc notation.
  package let purpose: String
  /// The members of `result`; empty if it has none.
  package let result: [MemberDescription]
  /// Further sentences, in mdoc notation.
  package let note: String?

  init(_ purpose: String, result: [MemberDescription] = [], note: String? = nil) {
    self.purpose = purpose
    self.result = result
    self.note = note
  }
}
