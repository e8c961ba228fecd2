/// A kind of request: its members, properties and manual page.
package protocol RequestBody: MemberList, Sendable, Hashable {
  var row: RequestRow { get }
  var page: RequestPage { get }
}

package struct RequestRow: Sendable {
  /// The `request` member.
  package let name: String
  private let traits: RequestTraits
  package let source: AnswerSource
  package let subject: RequestSubject
  /// The additional time for an unreachable server.
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

  /// Avoids the generic `contains(_:)`, which costs page faults.
  package func has(_ trait: RequestTraits) -> Bool { traits.rawValue & trait.rawValue != 0 }
}

package struct RequestTraits: OptionSet, Sendable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  /// Needs no network.
  package static var local: RequestTraits { RequestTraits(rawValue: 1) }
  /// Can be repeated if the result is unknown.
  package static var repeatable: RequestTraits { RequestTraits(rawValue: 2) }
  /// Does not depend on the settings file.
  package static var withoutSettings: RequestTraits { RequestTraits(rawValue: 4) }
  /// May change an account or the vault.
  package static var change: RequestTraits { RequestTraits(rawValue: 8) }
  /// Has no deadline by default.
  package static var endless: RequestTraits { RequestTraits(rawValue: 16) }
  /// Allowed for peers of a lease.
  package static var lent: RequestTraits { RequestTraits(rawValue: 32) }
  /// Allowed for the process of a lease.
  package static var fromLease: RequestTraits { RequestTraits(rawValue: 128) }
  /// Allowed for peers of a lease that lends the token itself.
  package static var lentWithToken: RequestTraits { RequestTraits(rawValue: 64) }
}

/// The party that a request waits for.
package enum AnswerSource: Sendable {
  case daemon, authorizationServer, resource
}

/// The accounts that a request is about.
package enum RequestSubject: Sendable, Equatable {
  case account(String)
  case activeAccount
  /// The account that lists the URL.
  case listingAccount
  /// All accounts, or none.
  case any

  static func accountOrActive(_ name: String?) -> RequestSubject { name.map(RequestSubject.account) ?? .activeAccount }
  static func accountOrListing(_ name: String?) -> RequestSubject {
    name.map(RequestSubject.account) ?? .listingAccount
  }
  static func accountOrAny(_ name: String?) -> RequestSubject { name.map(RequestSubject.account) ?? .any }
}

/// A request in the manual, without its members.
package struct RequestPage: Sendable {
  package let purpose: String
  /// The members of `result`; empty for an empty object.
  package let result: [MemberRow]
  package let note: String?
  /// Whether the last line has a `result`.
  package let hasResult: Bool

  init(_ purpose: String, result: [MemberRow] = [], note: String? = nil, hasResult: Bool = true) {
    self.purpose = purpose
    self.result = result
    self.note = note
    self.hasResult = hasResult
  }
}
