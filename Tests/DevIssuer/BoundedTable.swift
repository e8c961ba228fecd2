/// A dictionary that forgets its oldest entries when it is full, so that no client can make it grow.
struct BoundedTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let capacity: Int
  private var entries: [Key: Value] = [:]
  /// Keys in the order of their arrival from `first` on; some may have been removed since.
  private var order: [Key] = []
  private var first = 0

  /// - Parameter capacity: At least 1.
  init(capacity: Int) {
    precondition(capacity > 0)
    self.capacity = capacity
  }

  var count: Int { entries.count }

  /// Changing the value of a key that is there keeps its age; nil removes it.
  subscript(key: Key) -> Value? {
    get { entries[key] }
    set {
      guard let newValue else {
        entries[key] = nil
        return
      }
      if entries.updateValue(newValue, forKey: key) == nil { enqueue(key) }
    }
  }

  /// Looks at every entry.
  mutating func removeAll(where shouldBeRemoved: (Value) -> Bool) {
    for (key, value) in entries where shouldBeRemoved(value) { entries[key] = nil }
  }

  mutating func removeAll() {
    entries.removeAll()
    order.removeAll()
    first = 0
  }

  private mutating func enqueue(_ key: Key) {
    order.append(key)
    while entries.count > capacity || order.count - first > 2 * capacity {
      entries[order[first]] = nil
      first += 1
    }
    if first > capacity {
      order.removeFirst(first)
      first = 0
    }
  }
}
