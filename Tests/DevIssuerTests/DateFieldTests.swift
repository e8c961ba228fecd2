import Testing

@testable import devissuer

@Suite struct `The Date field` {
  // The first is the example of RFC 9110 section 5.6.7.
  @Test(arguments: [
    (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
    (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
    (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
    (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
    (-5, "Thu, 01 Jan 1970 00:00:00 GMT"),
    (Int.max, "Fri, 31 Dec 9999 23:59:59 GMT"),
  ])
  func `has the fixed form`(seconds: Int, text: String) {
    #expect(DateField.text(seconds) == text)
  }
}
