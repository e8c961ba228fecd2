/// What is asked of the vault itself: how it opens, and whether it is open. The set is closed.
///
/// No secret is a member. Each comes as a descriptor with the request, in the order that the case names.
package enum VaultRequest: Sendable, Hashable {
  /// Tells the slots and the levels. Nothing is opened.
  case status

  /// Wipes the keys that a passphrase or a PIN opened, and the tokens of the accounts behind them.
  case lock

  /// Opens a level. Brings its passphrase or PIN.
  case unlock(ProtectionLevel)

  /// Makes the key of a level that has none, and leaves it open. Brings its passphrase or PIN.
  case create(ProtectionLevel)

  /// Binds the background to this device anew; nil leaves the choice to the daemon.
  case bind(VaultBinding?)

  /// Lets one more passphrase open a level that is open. Brings the passphrase.
  case addPassphrase(ProtectionLevel)

  /// Brings the passphrase or PIN that opens the level, and the one that takes its place.
  case changePassphrase(ProtectionLevel)

  /// Drops a slot by its number.
  case removeSlot(Int)

  /// Makes new keys and seals everything anew. Brings the secret of each of these slots.
  case rotateKey(slots: [Int])

  /// Binds a vault that no longer opens here to this device. Brings a passphrase.
  case rebind

  /// Reads everything and tells what it finds.
  case check

  /// After how many seconds without use it locks by itself; zero for never.
  case set(lockAfterSeconds: Int)

  /// The highest number of a slot.
  package static let maximumSlot = 255
  /// How many slots there may be.
  package static let maximumSlots = 16
  /// The longest time until it locks by itself, in seconds.
  package static let maximumLockAfterSeconds = 30 * 86_400

  /// How many descriptors come with the request.
  package var secretCount: Int {
    switch self {
    case .status, .lock, .bind, .removeSlot, .check, .set: 0
    case .unlock, .create, .addPassphrase, .rebind: 1
    case .changePassphrase: 2
    case .rotateKey(let slots): slots.count
    }
  }

  /// Whether it can be sent again when nobody knows whether it was answered.
  package var mayBeRepeated: Bool {
    switch self {
    case .status, .lock, .check, .set: true
    case .unlock, .create, .bind, .addPassphrase, .changePassphrase, .removeSlot, .rotateKey, .rebind: false
    }
  }

  /// The `request` member's value.
  var name: String {
    switch self {
    case .status: "vault_status"
    case .lock: "lock"
    case .unlock: "unlock"
    case .create: "vault_create"
    case .bind: "vault_bind"
    case .addPassphrase: "vault_add_passphrase"
    case .changePassphrase: "vault_change_passphrase"
    case .removeSlot: "vault_remove_slot"
    case .rotateKey: "vault_rotate_key"
    case .rebind: "vault_rebind"
    case .check: "vault_check"
    case .set: "vault_set"
    }
  }
}

extension VaultRequest {
  /// Reads the request of this name; nil when there is none.
  init?(named name: String, _ members: RequestMembers) throws(Failure) {
    switch name {
    case "vault_status": self = .status
    case "lock": self = .lock
    case "unlock": self = .unlock(try Self.level(members))
    case "vault_create": self = .create(try Self.level(members))
    case "vault_bind": self = .bind(try Self.binding(members))
    case "vault_add_passphrase": self = .addPassphrase(try Self.level(members))
    case "vault_change_passphrase": self = .changePassphrase(try Self.level(members))
    case "vault_remove_slot":
      self = .removeSlot(try Self.required(members.integer("slot", in: 1...Self.maximumSlot), "slot"))
    case "vault_rotate_key":
      self = .rotateKey(
        slots: try members.integers("slots", in: 1...Self.maximumSlot, upTo: Self.maximumSlots))
    case "vault_rebind": self = .rebind
    case "vault_check": self = .check
    case "vault_set":
      let seconds = try members.integer("lock_after", in: 0...Self.maximumLockAfterSeconds)
      self = .set(lockAfterSeconds: try Self.required(seconds, "lock_after"))
    default: return nil
    }
  }

  func addMembers(to members: inout MemberWriter) {
    switch self {
    case .status, .lock, .rebind, .check: break
    case .unlock(let level), .create(let level), .addPassphrase(let level), .changePassphrase(let level):
      members.add("protection", level.rawValue)
    case .bind(let binding): members.add("binding", binding?.rawValue)
    case .removeSlot(let number): members.add("slot", number)
    case .rotateKey(let slots): members.add("slots", slots)
    case .set(let seconds): members.add("lock_after", seconds)
    }
  }

  private static func level(_ members: RequestMembers) throws(Failure) -> ProtectionLevel {
    try required(members.protection("protection"), "protection")
  }

  private static func binding(_ members: RequestMembers) throws(Failure) -> VaultBinding? {
    guard let word = try members.text("binding") else { return nil }
    guard let binding = VaultBinding(rawValue: word) else {
      throw Failure(.invalidRequest, "\"binding\" must be host or tpm2")
    }
    return binding
  }

  private static func required<Value>(_ value: Value?, _ name: String) throws(Failure) -> Value {
    guard let value else { throw Failure(.invalidRequest, "the request needs the member \"\(name)\"") }
    return value
  }
}
