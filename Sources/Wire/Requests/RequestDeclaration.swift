/// A kind of request: its members, properties and manual entry.
package protocol RequestBody: MemberList, Sendable, Hashable {
  var properties: RequestProperties { get }
  var manualEntry: RequestManualEntry { get }
}

/// A request's name and handling.
package struct RequestProperties: Sendable {
  package let name: String
  private let traits: RequestTraits
  package let source: AnswerSource
  package let subject: RequestSubject
  /// How long to wait for an unreachable server, in addition to the timeout.
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

  /// Whether the caller's directory may select the account.
  package var followsDirectory: Bool { subject == .activeAccount || subject == .listingAccount }

  /// Avoids the generic `contains(_:)`, which costs page faults.
  package func has(_ trait: RequestTraits) -> Bool { traits.rawValue & trait.rawValue != 0 }
}

package struct RequestTraits: OptionSet, Sendable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  /// Uses no network.
  package static var local: RequestTraits { RequestTraits(rawValue: 1) }
  /// May be sent again if its result is unknown.
  package static var repeatable: RequestTraits { RequestTraits(rawValue: 2) }
  /// Does not depend on the settings file.
  package static var withoutSettings: RequestTraits { RequestTraits(rawValue: 4) }
  /// May change an account or the vault.
  package static var changesAccounts: RequestTraits { RequestTraits(rawValue: 8) }
  /// Has no deadline by default.
  package static var endless: RequestTraits { RequestTraits(rawValue: 16) }
  /// Peers of a lease may send the request.
  package static var allowedForPeers: RequestTraits { RequestTraits(rawValue: 32) }
  /// `agent-lease` may send the request.
  package static var allowedForLeaseProcess: RequestTraits { RequestTraits(rawValue: 128) }
  /// Peers may send the request if the lease lends the token.
  package static var allowedForTokenPeers: RequestTraits { RequestTraits(rawValue: 64) }
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
  /// All accounts, or none.
  case any

  static func accountOrActive(_ name: String?) -> RequestSubject { name.map(RequestSubject.account) ?? .activeAccount }
  static func accountOrListing(_ name: String?) -> RequestSubject {
    name.map(RequestSubject.account) ?? .listingAccount
  }
  static func accountOrAny(_ name: String?) -> RequestSubject { name.map(RequestSubject.account) ?? .any }
}

/// A request's description in the manual.
package struct RequestManualEntry: Sendable {
  /// In mdoc notation.
  package let purpose: String
  package let result: [MemberDescription]
  /// In mdoc notation.
  package let note: String?

  init(_ purpose: String, result: [MemberDescription] = [], note: String? = nil) {
    self.purpose = purpose
    self.result = result
    self.note = note
  }
}
