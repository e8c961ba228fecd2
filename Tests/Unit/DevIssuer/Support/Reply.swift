import Encoding

/// A response as seen by a client.
struct Reply: Sendable {
  let status: Int
  let headers: [(name: String, value: String)]
  let body: [UInt8]

  subscript(header name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  var json: JSON? { try? JSON(parsing: body) }

  var text: String { String(decoding: body, as: UTF8.self) }

  var failure: String { "\(status) \(json?["error"]?.string ?? "-")" }
}
