package import Crypto

/// A request to a resource, without authorization.
package struct ResourceRequest: Sendable {
  package var method: ResourceMethod
  package var endpoint: Endpoint
  package var fields: [ResourceField]
  package var transport: Transport
  /// The timeout for a stalled transfer. There is no total timeout.
  package var stallSeconds: Int
  /// The stall timeout after the response's head (default: ``stallSeconds``). 0 for no limit.
  package var idleSeconds: Int?
  /// The access token if a lease's peer receives the response, which ends where it repeats the token.
  package var tokenToWithhold: SharedSecret?
  package var cancellation: Cancellation

  /// Whether an HTTP/1.1 connection may be reused. False if part of this request could be read as the next (RFC 9112
  /// section 9.3), bypassing a lease's limits.
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
  /// Content bytes that the receiver accepted.
  package let contentBytes: Int
  /// Remaining content, if slow to arrive.
  package let pending: (any PendingContent)?

  package init(head: ResourceHead, contentBytes: Int, pending: (any PendingContent)? = nil) {
    self.head = head
    self.contentBytes = contentBytes
    self.pending = pending
  }
}

package protocol PendingContent: Sendable {
  /// Passes the remaining content to the receiver on another thread, then calls `finish` once with the number of
  /// accepted bytes. Call at most once; if never, the response is abandoned.
  func receive(_ finish: @escaping @Sendable (Result<Int, HTTPFailure>) -> Void)
}

/// A request's content. Used by one thread at a time.
package protocol ResourceContent: AnyObject, Sendable {
  /// In bytes; nil if unknown.
  var length: Int? { get }
  var canRewind: Bool { get }
  /// Becomes readable after ``ResourceContentPart/later``.
  var descriptor: Int32 { get }
  /// Reads into the start of `space`. Never blocks.
  func read(into space: inout MutableSpan<UInt8>) -> ResourceContentPart
  func rewind()
}

package enum ResourceContentPart: Sendable, Hashable {
  case bytes(Int)
  case end
  /// Nothing is available yet.
  case later
  /// Reading failed or ended too early.
  case failed
}

/// Receives a response's content. Used by one thread at a time.
package protocol ResourceReceiver: AnyObject, Sendable {
  /// Becomes writable when ``take(_:)`` can accept more.
  var descriptor: Int32 { get }
  /// Receives the head first. Returns whether to pass the content to ``take(_:)``.
  func begin(_ head: ResourceHead) -> Bool
  /// Accepts bytes without blocking. Returns their number, or nil to stop.
  func take(_ bytes: Span<UInt8>) -> Int?
}
