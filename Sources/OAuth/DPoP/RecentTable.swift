/// A dictionary of bounded size: when it is full, the entry that was set the longest time ago is dropped.
struct RecentTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let capacity: Int
  private var values: [Key: Value] = [:]
  /// Keys, the one that was set last at the end.
  private var order: [Key] = []

  /// - Parameter capacity: At least 1, and small: setting looks through all keys.
  init(capacity: Int) {
    precondition(capacity > 0)
    self.capacity = capacity
  }

  subscript(key: Key) -> Value? { values[key] }

  mutating func set(_ value: Value, for key: Key) {
    if values.updateValue(value, forKey: key) != nil { order.removeAll { $0 == key } }
    order.append(key)
    if order.count > capacity { values[order.removeFirst()] = nil }
  }
}
