/// The last ``capacity`` elements, oldest first.
struct Ring<Element> {
  private let capacity: Int
  /// Once full, the oldest element is at ``next``.
  private var slots: [Element] = []
  private var next = 0
  /// The number of elements that were overwritten.
  private(set) var dropped = 0

  init(capacity: Int) { self.capacity = capacity }

  mutating func append(_ element: Element) {
    if slots.count < capacity { return slots.append(element) }
    slots[next] = element
    next = (next + 1) % capacity
    dropped += 1
  }

  var elements: [Element] { Array(slots[next...] + slots[..<next]) }
}
