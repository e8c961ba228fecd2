import Encoding
import Testing

@Suite struct `JSON numbers` {
  private func number(_ text: String) throws -> JSONNumber {
    try #require(try JSON(parsing: utf8(text)).number)
  }

  static let exact: [(String, Int?)] = [
    ("0", 0), ("-0", 0), ("-0.0", 0), ("0e5", 0), ("0e-999", 0), ("42", 42), ("-42", -42), ("3600.0", 3600),
    ("3.6e3", 3600), ("1e3", 1000), ("1E+3", 1000), ("1000e-3", 1), ("100000e-5", 1), ("-12.5e1", -125), ("1.5", nil),
    ("1e-1", nil), ("0.0001", nil), ("9223372036854775807", .max), ("9223372036854775808", nil),
    ("-9223372036854775808", .min), ("-9223372036854775809", nil), ("9223372036854775807.0", .max),
    ("922337203685477580.7e1", .max), ("1e18", 1_000_000_000_000_000_000), ("1e19", nil), ("1e300", nil),
    ("-1e300", nil), ("1e400", nil), ("1e99999999999999999999", nil), ("1e-99999999999999999999", nil),
    ("18446744073709551615", nil), ("18446744073709551616", nil), ("99999999999999999999", nil),
    ("0.00000000000000000000000001e26", 1),
  ]

  @Test(arguments: exact) func `int is the exact value or nothing`(text: String, value: Int?) throws {
    #expect(try number(text).int == value)
  }

  @Test func `int of an integer is that integer`() {
    for value in [0, 1, -1, .max, .min, 1_700_000_000] {
      #expect(JSONNumber(value).int == value)
      #expect(JSON.int(value).int == value)
      #expect(JSONNumber(value).rounded(.down) == value)
    }
  }

  static let rounding: [(String, down: Int?, up: Int?, nearest: Int?)] = [
    ("1.5", 1, 2, 2), ("2.5", 2, 3, 2), ("-1.5", -2, -1, -2), ("-2.5", -3, -2, -2), ("0.5", 0, 1, 0),
    ("-0.5", -1, 0, 0), ("0.51", 0, 1, 1), ("0.49", 0, 1, 0), ("0.05", 0, 1, 0), ("1e-30", 0, 1, 0),
    ("-1e-30", -1, 0, 0), ("1.0", 1, 1, 1), ("15e-1", 1, 2, 2), ("1e-99999999", 0, 1, 0), ("0.0", 0, 0, 0),
    ("1700000000.999999", 1_700_000_000, 1_700_000_001, 1_700_000_001),
    ("9223372036854775807.5", .max, nil, nil), ("-9223372036854775808.5", nil, .min, .min),
    ("-9223372036854775807.5", .min, -.max, .min), ("9999999999999999999.5", nil, nil, nil), ("1e400", nil, nil, nil),
    ("-1e1000", nil, nil, nil),
  ]

  @Test(arguments: rounding) func `rounding follows its rule and never traps`(
    text: String, down: Int?, up: Int?, nearest: Int?
  ) throws {
    let number = try number(text)
    #expect(number.rounded(.down) == down)
    #expect(number.rounded(.up) == up)
    #expect(number.rounded(.toNearestOrEven) == nearest)
  }

  @Test func `the other rules go towards or away from zero`() throws {
    #expect(try number("-1.7").rounded(.towardZero) == -1)
    #expect(try number("-1.2").rounded(.awayFromZero) == -2)
    #expect(try number("2.5").rounded(.toNearestOrAwayFromZero) == 3)
    #expect(try number("-2.4").rounded(.toNearestOrAwayFromZero) == -2)
  }

  @Test func `a number of more than 32 characters has no value`() throws {
    let long = String(repeating: "0", count: 40)
    let json = try JSON(parsing: utf8("[1.\(long)]"), limits: JSONLimits(numberBytes: 100))
    let number = try #require(json.array?.first?.number)
    #expect(number.int == nil)
    #expect(number.rounded(.down) == nil)
  }

  @Test func `a number keeps its text`() throws {
    #expect(try number("1.50e+1").text == "1.50e+1")
    #expect(try number("1.0") != number("1"))
  }
}
