package import Crypto

/// A request to a resource, without its authorization.
package struct ResourceRequest: Sendable {
  package var method: ResourceMethod
  package var endpoint: Endpoint
  package var fields: [ResourceField]
  package var transport: Transport
  /// The timeout for a stalled transfer, in seconds. The total duration is unlimited.
  package var stallSeconds: Int
  /// The stall timeout after the head of the response, in seconds (default: ``stallSeconds``). 0 for no limit.
  package var idleSeconds: Int?
  /// The access token, if the response is for a peer of a lease. A response that repeats the token is cut off there.
  package var withheld: SharedSecret?
  /// Cancels the request from another thread.
  package var cancellation: Cancellation

  /// Whether an HTTP/1.1 connection may be reused after this request. A server that parses the message differently
  /// treats part of it as the next request (RFC 9112 section 9.3), which would bypass a lease's limits.
  ///
  /// - Parameter hasContent: Whether the request has a body.
  package func mayKeepConnection(hasContent: Bool) -> Bool {
    guard let lease = transport.connectionGroup?.lease else { return !hasContent || method.definesContent }
    return !hasContent && !lease.isNarrow
  }

  package init(
    method: ResourceMethod, endpoint: Endpoint, fields: [ResourceField] = [], transport: Transport,
    stallSeconds: Int, idleSeconds: Int? = nil, withheld: SharedSecret? = nil, cancellation: Cancellation
  ) {
    self.idleSeconds = idleSeconds
    self.withheld = withheld
    self.method = method
    self.endpoint = endpoint
    self.fields = fields
    self.transport = transport
    self.stallSeconds = stallSeconds
    self.cancellation = cancellation
  }
}

/// A header field with a secret value.
package struct SecretField: Sendable {
  package let name: String
  package let value: SharedSecret

  package init(_ name: String, _ value: SharedSecret) {
    self.name = name
    self.value = value
  }
}

/// The status and headers of a response from a resource.
package struct ResourceHead: Sendable {
  package let status: Int
  package let headers: HTTPHeaders

  package init(status: Int, headers: HTTPHeaders) {
    self.status = status
    self.headers = headers
  }
}

/// A response whose content was passed to a ``ResourceReceiver``.
package struct ResourceResponse: Sendable {
  package let head: ResourceHead
  /// The number of bytes of content that the receiver accepted.
  package let contentBytes: Int
  /// The rest of the content if slow to arrive; nil if the content is complete.
  package let pending: (any PendingContent)?

  package init(head: ResourceHead, contentBytes: Int, pending: (any PendingContent)? = nil) {
    self.head = head
    self.contentBytes = contentBytes
    self.pending = pending
  }
}

/// The remaining content of a response. Receiving it needs no thread of the caller.
package protocol PendingContent: Sendable {
  /// Passes the content to the receiver as it arrives. Call it at most once; without a call, the response is abandoned.
  ///
  /// - Parameter finish: Called once, on another thread, with the total number of bytes that the receiver accepted.
  func receive(_ finish: @escaping @Sendable (Result<Int, HTTPFailure>) -> Void)
}

/// The source of a request's content. Used by one thread at a time.
package protocol ResourceContent: AnyObject, Sendable {
  /// The number of bytes; nil if not known in advance.
  var length: Int? { get }
  /// Whether ``rewind()`` is possible now.
  var canRewind: Bool { get }
  /// A descriptor that becomes readable when more content is available after `later`.
  var descriptor: Int32 { get }
  /// Reads into the start of `space`. Never blocks.
  func read(into space: inout MutableSpan<UInt8>) -> ResourceContentPart
  /// Returns to the first byte.
  func rewind()
}

/// The result of one read of a ``ResourceContent``.
package enum ResourceContentPart: Sendable, Hashable {
  /// The number of bytes read.
  case bytes(Int)
  /// All content has been read.
  case end
  /// No content is available yet.
  case later
  /// Reading failed, or the content is shorter than announced.
  case failed
}

/// The destination of a response's content. Used by one thread at a time.
package protocol ResourceReceiver: AnyObject, Sendable {
  /// A descriptor that becomes writable when more bytes can be accepted.
  var descriptor: Int32 { get }
  /// Receives the head of the response, before any content.
  ///
  /// - Returns: Whether the content is wanted. If not, only a little of it is read.
  func begin(_ head: ResourceHead) -> Bool
  /// Accepts as many bytes as possible. Never blocks.
  ///
  /// - Returns: The number of bytes accepted, or nil to stop.
  func take(_ bytes: Span<UInt8>) -> Int?
}
