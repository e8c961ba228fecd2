import Testing

@testable import devissuer

@Suite struct `Bounded tables` {
  @Test func `the oldest entry makes room`() {
    var table = BoundedTable<Int, String>(capacity: 2)
    for key in 1...3 { table[key] = "\(key)" }
    #expect(table[1] == nil && table[2] == "2" && table[3] == "3")
    #expect(table.count == 2)
  }

  @Test func `a changed entry keeps its age`() {
    var table = BoundedTable<Int, String>(capacity: 2)
    table[1] = "a"
    table[2] = "b"
    table[1] = "c"
    table[3] = "d"
    #expect(table[1] == nil && table[2] == "b" && table[3] == "d")
  }

  @Test func `it never grows beyond its capacity`() {
    var table = BoundedTable<Int, Int>(capacity: 10)
    for key in 0..<1000 {
      table[key] = key
      if key % 3 == 0 { table[key] = nil }
      #expect(table.count <= 10)
    }
    #expect(table[998] == 998)
  }

  @Test func `removed entries do not push out the ones that stay`() {
    var table = BoundedTable<Int, Int>(capacity: 10)
    table[-1] = 0
    for key in 0..<9 { table[key] = key }
    for key in 0..<9 { table[key] = nil }
    table[100] = 1
    #expect(table[-1] == 0)
  }
}
