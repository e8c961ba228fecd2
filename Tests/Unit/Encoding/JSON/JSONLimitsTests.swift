@testable import Encoding
import Testing

@Suite struct `JSON limits (RFC 8259 section 9)` {
  private func error(_ text: String, _ limits: JSONLimits = .standard) -> JSONError? {
    do throws(JSONError) {
      _ = try JSON(parsing: utf8(text), limits: limits)
      return nil
    } catch {
      return error
    }
  }

  private func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

  @Test func `a hundred thousand nested arrays are an error and not a crash`() {
    #expect(error(repeated("[", 100_000)) == JSONError(code: .tooDeep, offset: 16))
    #expect(error(repeated(#"{"a":"#, 100_000)) == JSONError(code: .tooDeep, offset: 16 * 5))
  }

  @Test func `no caller can allow nesting that could exhaust the stack`() {
    let limits = JSONLimits(depth: .max)
    #expect(error(repeated("[", 256) + repeated("]", 256), limits) == nil)
    #expect(error(repeated("[", 100_000) + repeated("]", 100_000), limits) == JSONError(code: .tooDeep, offset: 256))
  }

  @Test func `depth counts containers inside each other and not beside each other`() {
    #expect(error(repeated("[", 16) + repeated("]", 16)) == nil)
    #expect(error("[" + repeated("[],", 100) + "[]]", JSONLimits(depth: 2)) == nil)
    #expect(error("1", JSONLimits(depth: 0)) == nil)
    #expect(error("{}", JSONLimits(depth: 0)) == JSONError(code: .tooDeep, offset: 0))
  }

  @Test func `the length of the text is limited`() {
    #expect(error("[12]", JSONLimits(bytes: 4)) == nil)
    #expect(error("[12] ", JSONLimits(bytes: 4)) == JSONError(code: .tooLarge, offset: 4))
    #expect(error(repeated(" ", 1 << 20) + "1") == JSONError(code: .tooLarge, offset: 1 << 20))
  }

  @Test func `the members of one object are limited`() {
    let members = (0..<512).map { "\"\($0)\":0" }.joined(separator: ",")
    #expect(error("{" + members + "}") == nil)
    let offset = members.utf8.count + 2
    #expect(error("{" + members + ",\"x\":0}") == JSONError(code: .tooManyMembers, offset: offset))
    #expect(error("[{\(members)},{\(members)}]") == nil)
  }

  @Test func `the values of the whole text are limited`() {
    #expect(error("[1,[2]]", JSONLimits(elements: 4)) == nil)
    #expect(error("[1,[2]]", JSONLimits(elements: 3)) == JSONError(code: .tooManyElements, offset: 4))
    #expect(error("[" + repeated("0,", 65_535) + "0]") == JSONError(code: .tooManyElements, offset: 131_071))
  }

  @Test func `the bytes of one string are limited, as written`() {
    let limits = JSONLimits(stringBytes: 6)
    #expect(error(#"["123456"]"#, limits) == nil)
    #expect(error(#"["1234567"]"#, limits) == JSONError(code: .stringTooLong, offset: 1))
    #expect(error(#"["\u0041"]"#, limits) == nil)
    #expect(error(#"{"1234567":0}"#, limits) == JSONError(code: .stringTooLong, offset: 1))
  }

  @Test func `the bytes of one number are limited`() {
    #expect(error(repeated("1", 32)) == nil)
    #expect(error("1e" + repeated("0", 31)) == JSONError(code: .numberTooLong, offset: 0))
    #expect(error("-1.5", JSONLimits(numberBytes: 3)) == JSONError(code: .numberTooLong, offset: 0))
  }
}
