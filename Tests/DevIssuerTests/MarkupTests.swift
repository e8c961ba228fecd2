import Testing

@testable import devissuer

@Suite struct `HTML text` {
  @Test func `text is escaped and markup is not`() {
    let inner: Markup = "<b>\("<&>\"'")</b>"
    let outer: Markup = "<p>\(inner)</p>"
    #expect(outer.html == "<p><b>&lt;&amp;&gt;&quot;&#39;</b></p>")
  }
}
