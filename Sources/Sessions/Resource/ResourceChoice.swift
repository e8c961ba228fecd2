internal import Encoding
package import OAuth

/// A URL or origin that needs a token.
package struct ResourceURL: Sendable, Hashable {
  package let origin: ResourceOrigin
  /// If nil (unknown), an entry for the entire origin is preferred.
  package let path: String?
  /// Nil for any user.
  package let user: String?

  package init(origin: ResourceOrigin, path: String?, user: String? = nil) {
    self.origin = origin
    self.path = path
    self.user = user
  }

  package init(of endpoint: Endpoint) {
    self.init(origin: ResourceOrigin(of: endpoint), path: endpoint.uri.path)
  }

  /// The possible URLs for a user's input, best first. Without a scheme: https, then http for a loopback host.
  package static func candidates(for text: String, user: String?) -> [ResourceURL] {
    var url = text
    if let end = url.utf8.firstIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) {
      url = String(url[..<end])
    }
    guard let meant = OriginEntry.uri(url) else { return [] }
    let hasScheme = meant.text.hasSameBytes(as: url)
    return (hasScheme ? [url] : [url, "http://" + url]).compactMap { spelling in
      guard let uri = OriginEntry.uri(spelling), uri.isHTTPS || uri.isMail || uri.isHTTPLoopback,
        let origin = ResourceOrigin(uri.origin, allowHTTPLoopback: true)
      else { return nil }
      return ResourceURL(origin: origin, path: uri.path.isEmpty ? nil : uri.path, user: user)
    }
  }
}

/// The account selected for a URL, and its matching settings entry.
package struct SelectedAccount: Sendable, Hashable {
  package let account: AccountName
  package let url: ResourceURL
  /// Nil if only the account's UserInfo has this origin.
  package let entry: OriginEntry?
}

extension AccountConfiguration {
  package var originEntries: [OriginEntry] {
    self.origins.compactMap { OriginEntry($0, allowHTTPLoopback: self.allowHTTPLoopback) }
  }

  /// Replaces an entry for the same origin and path.
  package mutating func addOrReplace(_ entry: OriginEntry) {
    let allows = self.allowHTTPLoopback
    self.origins.removeAll { OriginEntry($0, allowHTTPLoopback: allows)?.hasSameLocation(as: entry) ?? false }
    self.origins.append(entry.text)
  }

  /// Adds the scopes of all origins to `own`. Nil if that adds nothing. Omits Entra's `.default`, which cannot be
  /// combined with others.
  func scopeOfOrigins(with own: Scope) throws(OAuthError) -> Scope? {
    let named = try Scope(values: originEntries.flatMap(\.scope).filter { !$0.hasSuffix("/.default") })
    let missing = own.missing(of: named)
    return missing.isEmpty ? nil : try Scope(values: own.values + missing)
  }

  /// The path length in bytes of the account's resource (RFC 8707) that contains the URL, if any.
  func lengthOfResource(for url: ResourceURL) -> Int? {
    self.resources.compactMap { resource -> Int? in
      let text = String(decoding: resource.utf8.prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self)
      guard let entry = OriginEntry(text, allowHTTPLoopback: self.allowHTTPLoopback),
        entry.origin.hasSameBytes(as: url.origin.text), url.path.map({ entry.covers($0) }) ?? false
      else { return nil }
      return entry.path.utf8.count
    }.max()
  }

  /// The best entry for a URL, if any, and its path's length in bytes.
  package func entry(for url: ResourceURL) -> (entry: OriginEntry, length: Int)? {
    let fitting = originEntries.filter { entry in
      guard entry.origin.hasSameBytes(as: url.origin.text) else { return false }
      if let asked = url.user, let user = entry.user, !user.hasSameBytes(as: asked) { return false }
      return url.path.map { entry.covers($0) } ?? true
    }
    guard url.path != nil else {
      return fitting.first { $0.path.isEmpty }.map { ($0, 1) } ?? fitting.first.map { ($0, 0) }
    }
    return fitting.max { $0.path.utf8.count < $1.path.utf8.count }.map { ($0, $0.path.utf8.count) }
  }
}
