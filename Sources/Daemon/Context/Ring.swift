/// The latest ``capacity`` elements.
struct Ring<Element> {
  private let capacity: Int
  /// Once full, the oldest is at ``next``.
  private var slots: [Element] = []
  /// The index to overwrite next.
  private var next = 0
  /// The number of overwritten elements.
  private(set) var dropped = 0

  init(capacity: Int) { self.capacity = capacity }

  mutating func append(_ element: Element) {
    if slots.count < capacity { return slots.append(element) }
    slots[next] = element
    next = (next + 1) % capacity
    dropped += 1
  }

  /// Oldest first.
  var elements: [Element] { Array(slots[next...] + slots[..<next]) }
}
