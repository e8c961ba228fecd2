package import Crypto

/// A request to a resource, without its authorization.
package struct ResourceRequest: Sendable {
  package var method: ResourceMethod
  package var endpoint: Endpoint
  package var fields: [ResourceField]
  package var transport: Transport
  /// The timeout for a stalled transfer. There is no total timeout.
  package var stallSeconds: Int
  /// The stall timeout after the response's head (default: ``stallSeconds``). 0 for no limit.
  package var idleSeconds: Int?
  /// The access token if a lease's peer receives the response, which is cut off where it repeats the token.
  package var tokenToWithhold: SharedSecret?
  package var cancellation: Cancellation

  /// Whether an HTTP/1.1 connection may be reused. False if a server could treat part of this request as the next one
  /// (RFC 9112 section 9.3), which would bypass a lease's limits.
  package func mayKeepConnection(hasContent: Bool) -> Bool {
    guard let lease = transport.connectionGroup?.lease else { return !hasContent || method.definesContent }
    return !hasContent && !lease.isNarrow
  }

  package init(
    method: ResourceMethod, endpoint: Endpoint, fields: [ResourceField] = [], transport: Transport,
    stallSeconds: Int, idleSeconds: Int? = nil, tokenToWithhold: SharedSecret? = nil, cancellation: Cancellation
  ) {
    self.idleSeconds = idleSeconds
    self.tokenToWithhold = tokenToWithhold
    self.method = method
    self.endpoint = endpoint
    self.fields = fields
    self.transport = transport
    self.stallSeconds = stallSeconds
    self.cancellation = cancellation
  }
}

package struct SecretField: Sendable {
  package let name: String
  package let value: SharedSecret

  package init(_ name: String, _ value: SharedSecret) {
    self.name = name
    self.value = value
  }
}

/// The status and headers of a resource's response.
package struct ResourceHead: Sendable {
  package let status: Int
  package let headers: HTTPHeaders

  package init(status: Int, headers: HTTPHeaders) {
    self.status = status
    self.headers = headers
  }
}

/// A response whose content went to a ``ResourceReceiver``.
package struct ResourceResponse: Sendable {
  package let head: ResourceHead
  /// The number of content bytes that the receiver accepted.
  package let contentBytes: Int
  /// The remaining content, if slow to arrive.
  package let pending: (any PendingContent)?

  package init(head: ResourceHead, contentBytes: Int, pending: (any PendingContent)? = nil) {
    self.head = head
    self.contentBytes = contentBytes
    self.pending = pending
  }
}

/// A response's remaining content.
package protocol PendingContent: Sendable {
  /// Passes the content to the receiver as it arrives, on another thread. Then calls `finish` once, with the total
  /// number of bytes accepted. Call at most once; without a call, the response is abandoned.
  func receive(_ finish: @escaping @Sendable (Result<Int, HTTPFailure>) -> Void)
}

/// The source of a request's content. Used by one thread at a time.
package protocol ResourceContent: AnyObject, Sendable {
  /// In bytes; nil if not known in advance.
  var length: Int? { get }
  var canRewind: Bool { get }
  /// A descriptor that becomes readable when there is content again after ``ResourceContentPart/later``.
  var descriptor: Int32 { get }
  /// Reads into the start of `space`. Never blocks.
  func read(into space: inout MutableSpan<UInt8>) -> ResourceContentPart
  func rewind()
}

package enum ResourceContentPart: Sendable, Hashable {
  case bytes(Int)
  case end
  /// No content is available yet.
  case later
  /// Reading failed, or the content ended too early.
  case failed
}

/// The destination of a response's content. Used by one thread at a time.
package protocol ResourceReceiver: AnyObject, Sendable {
  /// A descriptor that becomes writable when more bytes can be accepted.
  var descriptor: Int32 { get }
  /// Receives the head before any content. Returns whether to pass the content to ``take(_:)``.
  func begin(_ head: ResourceHead) -> Bool
  /// Accepts as many bytes as possible, without blocking. Returns their number, or nil to stop.
  func take(_ bytes: Span<UInt8>) -> Int?
}
