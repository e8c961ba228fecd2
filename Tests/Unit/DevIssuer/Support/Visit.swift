import Testing

@testable import devissuer

/// A browser that has opened a page with a form.
struct Visit {
  let cookie: String
  let csrf: String
  /// The `request` field of the consent page.
  let request: String?

  init(_ page: Reply, cookie: String? = nil) throws {
    let new = page[header: "Set-Cookie"].map { String($0.prefix { $0 != ";" }) }
    self.cookie = try #require(new ?? cookie)
    csrf = try #require(page.value(of: "csrf"))
    request = page.value(of: "request")
  }

  init(cookie: String, csrf: String, request: String?) {
    self.cookie = cookie
    self.csrf = csrf
    self.request = request
  }

  func decide(_ issuer: TestIssuer, _ form: String, cookies: String = "") throws -> Reply {
    try issuer.post(
      "/authorize/decision", "csrf=\(csrf)&request=\(request ?? "")&\(form)",
      headers: ["Cookie: \(cookie)\(cookies)"])
  }
}

extension Reply {
  func value(of name: String) -> String? {
    guard let start = text.firstRange(of: "name=\"\(name)\" value=\"")?.upperBound else { return nil }
    return String(text[start...].prefix { $0 != "\"" })
  }

  var sessionCookie: String? {
    headers.filter { $0.name == "Set-Cookie" }.map { String($0.value.prefix { $0 != ";" }) }
      .first { $0.hasPrefix("devissuer_session=") }
  }
}
