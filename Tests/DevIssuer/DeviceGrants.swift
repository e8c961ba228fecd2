import Crypto
import Platform

/// All device authorizations that still matter.
struct DeviceGrants: Sendable {
  /// Why a user code cannot be used.
  enum CodeProblem: Error, Hashable, Sendable {
    case unknown, expired, used
  }

  /// What a poll found.
  enum Poll: Sendable, Hashable {
    case pending
    case slowDown
    case denied
    case expired
    case unknown
    case approved(Approval)
  }

  struct Approval: Sendable, Hashable {
    let username: String
    let authTime: Int
    let scope: ScopeSet
    let targets: [String]
  }

  /// More authorizations than this push out the oldest.
  static let capacity = 1000

  private var grants = BoundedTable<OpaqueKey, DeviceGrant>(capacity: capacity)
  private var deviceCodes = BoundedTable<UserCode, OpaqueKey>(capacity: capacity)

  mutating func add(_ grant: DeviceGrant) {
    grants[grant.deviceCode] = grant
    deviceCodes[grant.userCode] = grant.deviceCode
  }

  /// The authorization that waits for a decision under that code.
  func pending(_ code: UserCode, at now: Instant) throws(CodeProblem) -> DeviceGrant {
    guard let deviceCode = deviceCodes[code], let grant = grants[deviceCode] else { throw .unknown }
    guard grant.expiresAt > now else { throw .expired }
    guard grant.decision == .pending else { throw .used }
    return grant
  }

  /// Decides once; the user code is of no use afterwards.
  mutating func decide(
    _ code: UserCode, _ decision: DeviceGrant.Decision, at now: Instant
  ) throws(CodeProblem) -> DeviceGrant {
    var grant = try pending(code, at: now)
    grant.decision = decision
    grants[grant.deviceCode] = grant
    return grant
  }

  /// Answers a poll (RFC 8628 section 3.5). An approved code is gone with the answer; a code that
  /// was given to another client is unknown.
  mutating func poll(_ deviceCode: OpaqueKey, clientID: String, at now: Instant) -> Poll {
    guard var grant = grants[deviceCode], grant.clientID == clientID else { return .unknown }
    guard grant.expiresAt > now else { return .expired }
    let isTimely = grant.notePoll(at: now)
    grants[deviceCode] = grant
    guard isTimely else { return .slowDown }
    switch grant.decision {
    case .pending: return .pending
    case .denied: return .denied
    case .approved(let username, let authTime):
      grants[deviceCode] = nil
      deviceCodes[grant.userCode] = nil
      return .approved(Approval(username: username, authTime: authTime, scope: grant.scope, targets: grant.targets))
    }
  }

  mutating func removeAll() {
    grants.removeAll()
    deviceCodes.removeAll()
  }
}
