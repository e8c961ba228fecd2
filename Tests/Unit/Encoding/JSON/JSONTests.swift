import Encoding
import Testing

@Suite struct `JSON values` {
  private static let sample: JSON = [
    "text": "x", "yes": true, "count": 3, "list": [1, "two", false], "inner": ["k": "v"],
  ]

  @Test func `each accessor answers for its own kind only`() {
    let values: [JSON] = [.null, true, 1, "s", [], [:]]
    #expect(values.map { $0.bool } == [nil, true, nil, nil, nil, nil])
    #expect(values.map { $0.int } == [nil, nil, 1, nil, nil, nil])
    #expect(values.map { $0.number } == [nil, nil, JSONNumber(1), nil, nil, nil])
    #expect(values.map { $0.string } == [nil, nil, nil, "s", nil, nil])
    #expect(values.map { $0.array } == [nil, nil, nil, nil, [], nil])
    #expect(values.map { $0.object } == [nil, nil, nil, nil, nil, JSONObject()])
  }

  @Test func `true is not one and one is not true`() throws {
    let json = try JSON(parsing: utf8("[true,1,\"1\"]"))
    #expect(json == [true, 1, "1"])
    #expect(json != [1, 1, "1"])
    #expect(json != [true, true, "1"])
    #expect(json.array?.map(\.bool) == [true, nil, nil])
    #expect(json.array?.map(\.int) == [nil, 1, nil])
  }

  @Test func `a member is found by name and only in an object`() {
    #expect(Self.sample["inner"]?["k"] == "v")
    #expect(Self.sample["list"]?["k"] == nil)
    #expect(Self.sample["none"] == nil)
    #expect(Self.sample["Text"] == nil)
  }

  @Test func `literals keep the order in which they are written`() {
    let expected = #"{"text":"x","yes":true,"count":3,"list":[1,"two",false],"inner":{"k":"v"}}"#
    #expect(text(Self.sample.serialized()) == expected)
  }

  @Test func `strings are equal only byte for byte (RFC 8259 section 8.3)`() {
    #expect(JSON.string("\u{E9}") != JSON.string("e\u{301}"))
    #expect(JSON.string("\u{E9}") == JSON.string("\u{E9}"))
  }

  @Test func `objects are equal in any order and hash alike`() throws {
    let one = try JSON(parsing: utf8(#"{"a":1,"b":{"c":2,"d":3}}"#))
    let other = try JSON(parsing: utf8(#"{"b":{"d":3,"c":2},"a":1}"#))
    #expect(one == other)
    #expect(one.hashValue == other.hashValue)
    #expect(one != ["a": 1, "b": ["c": 2]])
    #expect(one != ["a": 1, "b": ["c": 2, "d": 4]])
    #expect(one != ["a": 1, "x": ["c": 2, "d": 3]])
  }
}

@Suite struct `JSON objects` {
  @Test func `setting replaces in place, adds at the end, and removes with nil`() {
    var object = JSONObject([("a", 1), ("b", 2)])
    object["a"] = 3
    object["c"] = 4
    object["b"] = nil
    object["none"] = nil
    #expect(object.names == ["a", "c"])
    #expect(object.count == 2)
    #expect(object["a"] == 3)
    #expect(object["b"] == nil)
    #expect(!object.isEmpty)
    #expect(JSONObject().isEmpty)
  }

  @Test func `a name that comes twice keeps its place and takes the later value`() {
    let object = JSONObject([("a", 1), ("b", 2), ("a", 3)])
    #expect(object.names == ["a", "b"])
    #expect(object["a"] == 3)
  }

  @Test func `names are told apart byte by byte`() {
    let object = JSONObject([("\u{E9}", 1), ("e\u{301}", 2)])
    #expect(object.count == 2)
    #expect(object["e\u{301}"] == 2)
  }
}

@Suite struct `Indented JSON` {
  @Test(arguments: [
    ("1", "1"), ("[]", "[]"), ("{}", "{}"), (#"["a",[]]"#, "[\n  \"a\",\n  []\n]"),
    (
      #"{"a":{"b":[1,null]},"c\n":"d"}"#,
      "{\n  \"a\": {\n    \"b\": [\n      1,\n      null\n    ]\n  },\n  \"c\\n\": \"d\"\n}"
    ),
  ]) func `has a line for each member and element`(compact: String, text: String) throws {
    let value = try JSON(parsing: Array(compact.utf8))
    #expect(value.indented == text)
    #expect(try JSON(parsing: Array(value.indented.utf8)) == value)
  }
}
