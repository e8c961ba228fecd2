/// A JSON object's members, in order of writing. Names are unique, compared by UTF-8 bytes (RFC 8259 section 8.3).
/// Equality ignores order (section 1).
package struct JSONObject: Sendable, Hashable, ExpressibleByDictionaryLiteral {
  struct Member: Sendable {
    var name: String
    var value: JSON
  }

  private(set) var members: [Member]

  package init() {
    members = []
  }

  /// A repeated name gets its last value, in the first's position.
  package init(_ pairs: [(String, JSON)]) {
    members = []
    members.reserveCapacity(pairs.count)
    for (name, value) in pairs { self[name] = value }
  }

  /// Names may repeat only after lenient parsing; lookups then find the first.
  init(unique members: [Member]) {
    self.members = members
  }

  package var names: [String] { members.map(\.name) }

  package var values: [JSON] { members.map(\.value) }

  package var count: Int { members.count }

  package var isEmpty: Bool { members.isEmpty }

  /// Setting a new name appends a member; setting nil removes it.
  package subscript(_ name: String) -> JSON? {
    get { index(of: name).map { members[$0].value } }
    set {
      switch (index(of: name), newValue) {
      case (let index?, let value?): members[index].value = value
      case (let index?, nil): members.remove(at: index)
      case (nil, let value?): members.append(Member(name: name, value: value))
      case (nil, nil): break
      }
    }
  }

  private func index(of name: String) -> Int? {
    members.firstIndex { $0.name.hasSameBytes(as: name) }
  }

  package static func == (one: JSONObject, other: JSONObject) -> Bool {
    guard one.count == other.count else { return false }
    return zip(one.members, other.members).allSatisfy { member, same in
      // Equal objects usually have the same order.
      (member.name.hasSameBytes(as: same.name) ? same.value : other[member.name]) == member.value
    }
  }

  package func hash(into hasher: inout Hasher) {
    // A sum, because order does not matter.
    var sum = 0
    for member in members {
      var memberHasher = Hasher()
      memberHasher.combine(member.name)
      memberHasher.combine(member.value)
      sum &+= memberHasher.finalize()
    }
    hasher.combine(sum)
  }

  package init(dictionaryLiteral elements: (String, JSON)...) {
    self.init(elements)
  }
}
