/// The members of a JSON object, in the order in which they were written.
///
/// Names are unique and compared byte by byte in UTF-8 (RFC 8259 section 8.3), not by Unicode
/// equivalence as Swift strings are. Two objects are equal when they have equal members, in any
/// order (RFC 8259 section 1).
package struct JSONObject: Sendable {
  /// One member.
  struct Member: Sendable {
    var name: String
    var value: JSON
  }

  /// All members, in order.
  private(set) var members: [Member]

  /// Makes an empty object.
  package init() {
    members = []
  }

  /// Makes an object from pairs. When a name comes twice, the later value takes the earlier place.
  package init(_ pairs: [(String, JSON)]) {
    members = []
    members.reserveCapacity(pairs.count)
    for (name, value) in pairs { self[name] = value }
  }

  /// Takes members whose names are known to be unique. Those of a text that was read leniently may not be: the first of
  /// equal names is the one that is found.
  init(unique members: [Member]) {
    self.members = members
  }

  /// The names of all members, in order.
  package var names: [String] { members.map(\.name) }

  /// The values of all members, in order.
  package var values: [JSON] { members.map(\.value) }

  /// How many members there are.
  package var count: Int { members.count }

  /// Whether there is no member.
  package var isEmpty: Bool { members.isEmpty }

  /// A member's value. Setting a new name adds it at the end; setting nil removes the member.
  package subscript(_ name: String) -> JSON? {
    get { place(of: name).map { members[$0].value } }
    set {
      switch (place(of: name), newValue) {
      case (let place?, let value?): members[place].value = value
      case (let place?, nil): members.remove(at: place)
      case (nil, let value?): members.append(Member(name: name, value: value))
      case (nil, nil): break
      }
    }
  }

  private func place(of name: String) -> Int? {
    members.firstIndex { $0.name.hasSameBytes(as: name) }
  }
}

extension JSONObject: Hashable {
  package static func == (one: JSONObject, other: JSONObject) -> Bool {
    guard one.count == other.count else { return false }
    return one.members.allSatisfy { other[$0.name] == $0.value }
  }

  package func hash(into hasher: inout Hasher) {
    // A sum, because the order of members does not matter.
    var sum = 0
    for member in members {
      var memberHasher = Hasher()
      memberHasher.combine(member.name)
      memberHasher.combine(member.value)
      sum &+= memberHasher.finalize()
    }
    hasher.combine(sum)
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (String, JSON)...) {
    self.init(elements)
  }
}
