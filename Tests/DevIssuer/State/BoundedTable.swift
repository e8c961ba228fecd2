/// A dictionary of the entries that came last, so that no client can make it grow.
struct BoundedTable<Value: Sendable>: Sendable {
  private var entries: [String: Value] = [:]
  /// In the order of their arrival; some may have been removed since.
  private(set) var order: [String] = []
  private let capacity: Int

  init(capacity: Int) { self.capacity = capacity }

  /// Changing the value of a key that is there keeps its age; nil removes it.
  subscript(key: String) -> Value? {
    get { entries[key] }
    set {
      let isNew = entries[key] == nil && newValue != nil
      entries[key] = newValue
      if isNew { order.append(key) }
      if order.count > capacity { entries[order.removeFirst()] = nil }
    }
  }

  /// Keeps a value under a new key that nobody can guess.
  mutating func add(_ value: Value, keyLength: Int = 0) throws -> String {
    let random = try Seal.opaque()
    let key = random + String(repeating: "x", count: max(0, keyLength - random.utf8.count))
    self[key] = value
    return key
  }

  mutating func removeAll(where isRemoved: (Value) -> Bool) { entries = entries.filter { !isRemoved($0.value) } }
}

extension BoundedTable where Value == Bool {
  /// False for a key that was used before.
  mutating func use(_ key: String) -> Bool {
    defer { self[key] = true }
    return self[key] == nil
  }
}
