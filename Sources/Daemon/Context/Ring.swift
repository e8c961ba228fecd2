/// A ring buffer of the last ``capacity`` elements.
struct Ring<Element> {
  private let capacity: Int
  /// The elements. Once there are ``capacity``, the oldest is at ``next``.
  private var slots: [Element] = []
  /// The index of the next element to overwrite.
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

  /// All elements, oldest first.
  var elements: [Element] { Array(slots[next...] + slots[..<next]) }
}
