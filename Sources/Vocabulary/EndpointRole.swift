internal import Encoding

/// An endpoint's purpose. Raw values are names in the log.
package enum EndpointRole: String, Sendable, Hashable, CaseIterable {
  case metadata, keys, authorization
  case pushedAuthorization = "pushed_authorization"
  case deviceAuthorization = "device_authorization"
  case token, userinfo, introspection, revocation, registration, resource

  /// The name in messages, without an article.
  package var title: String {
    switch self {
    case .metadata: "metadata"
    case .keys: "key set"
    case .authorization: "authorization endpoint"
    case .pushedAuthorization: "pushed authorization request endpoint"
    case .deviceAuthorization: "device authorization endpoint"
    case .token: "token endpoint"
    case .userinfo: "UserInfo endpoint"
    case .introspection: "introspection endpoint"
    case .revocation: "revocation endpoint"
    case .registration: "client registration endpoint"
    case .resource: "resource"
    }
  }
}

/// A logged request. Its URL lacks query, fragment, user name and, for resources, the path.
package struct RequestLine: Sendable, Hashable {
  /// In bytes. Longer URLs are truncated.
  package static let maximumURLLength = 256

  package let role: EndpointRole
  /// At most 32 letters, digits and "-".
  package let method: String
  /// At most ``maximumURLLength`` printable ASCII characters.
  package let url: String

  package init(_ role: EndpointRole, _ method: String, url: String) {
    self.role = role
    self.method = String(
      decoding: method.utf8.prefix { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") }.prefix(32), as: UTF8.self)
    let end: [UInt8] = [UInt8(ascii: "?"), UInt8(ascii: "#")]
    let printable = url.utf8.prefix { $0.isVisibleASCII && !end.contains($0) }
    self.url = String(decoding: printable.prefix(Self.maximumURLLength), as: UTF8.self)
  }
}
