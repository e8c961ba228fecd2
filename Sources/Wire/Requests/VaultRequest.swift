package import Vocabulary

/// Manages the vault: its slots, and whether it is locked. The set of requests is closed.
///
/// No member is a secret. Each secret is a descriptor of the request, in the order that the case names.
package enum VaultRequest: Sendable, Hashable {
  /// Returns the slots and the levels. Nothing is opened.
  case status

  /// Wipes the keys that a passphrase or a PIN opened, and the tokens of their accounts.
  case lock

  /// Unlocks a level. Its descriptor has the passphrase or PIN.
  case unlock(Protection)

  /// Makes the key of a level that has none, and leaves it unlocked. Its descriptor has the passphrase or PIN.
  case create(Protection)

  /// Binds the vault to this device with a new automatic slot; nil means that the daemon chooses its kind.
  case bind(VaultBinding?)

  /// Adds a passphrase to an unlocked level. Its descriptor has the passphrase.
  case addPassphrase(Protection)

  /// Changes a passphrase or PIN. Its descriptors have the old one and the new one.
  case changePassphrase(Protection)

  /// Removes the slot with this number.
  case removeSlot(Int)

  /// Makes new keys and seals all records again. Its descriptors have the secrets of these slots, in this order.
  case rotateKey(slots: [Int])

  /// Binds a vault that no longer opens here to this device. Its descriptor has a passphrase.
  case rebind

  /// Checks all slots and records.
  case check

  /// Sets the time without use until the vault locks, in seconds; zero means never.
  case set(lockAfterSeconds: Int)

  /// The highest number of a slot.
  package static let maximumSlot = 255
  /// The largest number of slots.
  package static let maximumSlots = 16
  /// The longest time without use until it locks, in seconds.
  package static let maximumLockAfterSeconds = 30 * 86_400

  /// The number of descriptors of the request.
  package var secretCount: Int {
    switch self {
    case .status, .lock, .bind, .removeSlot, .check, .set: 0
    case .unlock, .create, .addPassphrase, .rebind: 1
    case .changePassphrase: 2
    case .rotateKey(let slots): slots.count
    }
  }

  /// Whether the request can be sent again if its result is unknown.
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
  /// Reads the request of this name; nil if there is none.
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
      self = .removeSlot(try members.required("slot", members.integer("slot", in: 1...Self.maximumSlot)))
    case "vault_rotate_key":
      self = .rotateKey(
        slots: try members.integers("slots", in: 1...Self.maximumSlot, upTo: Self.maximumSlots))
    case "vault_rebind": self = .rebind
    case "vault_check": self = .check
    case "vault_set":
      let seconds = try members.integer("lock_after", in: 0...Self.maximumLockAfterSeconds)
      self = .set(lockAfterSeconds: try members.required("lock_after", seconds))
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

  private static func level(_ members: RequestMembers) throws(Failure) -> Protection {
    try members.required("protection", members.choice("protection", Protection.self))
  }

  private static func binding(_ members: RequestMembers) throws(Failure) -> VaultBinding? {
    try members.choice("binding", VaultBinding.self)
  }
}
