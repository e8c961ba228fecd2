/// The last so many elements, the oldest first.
struct Ring<Element> {
  private let capacity: Int
  /// Full once there are ``capacity`` of them; the oldest is then at ``next``.
  private var slots: [Element] = []
  private var next = 0
  /// How many earlier ones were pushed out.
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
