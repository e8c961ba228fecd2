import Encoding
import Platform

/// A line for each request. Never a query, a header field or content, so never a token or a code.
final class RequestLog: Sendable {
  /// Nil for standard error.
  private let file: FileDescriptor?

  /// - Parameter name: A file, emptied or made with mode 0600, or "-" for standard error.
  init(_ name: String) throws(SystemError) {
    file = name == "-" ? nil : try FileDescriptor(opening: name, for: .replacing)
  }

  /// A log that cannot be written is no reason to answer otherwise.
  func note(_ request: Request, _ response: Response, took: Duration, at unixSeconds: Int) {
    let line = Array(Self.line(request, response, took, unixSeconds).utf8)
    if file != nil {
      try? file?.writeAll(line.span)
    } else {
      try? Output.write(line.span, to: .standardError)
    }
  }

  private static func line(
    _ request: Request, _ response: Response, _ took: Duration, _ unixSeconds: Int
  ) -> String {
    let status = response.delivery == .whole || response.delivery == .head ? "\(response.status)" : "cut"
    let tenths = took.saturatingNanoseconds / 100_000
    return
      "\(Timestamp.rfc3339(unixSeconds)) \(request.method.rawValue) \(request.path) \(status) \(tenths / 10).\(tenths % 10) ms\n"
  }
}
