internal import Encoding

/// The token issuer of a multi-tenant server, such as Microsoft Entra ID. Only for providers with
/// ``Provider/Quirk/tenantIssuer``, on the issuer's host.
package enum TenantIssuer: Sendable, Hashable {
  /// The issuer in the server's metadata.
  case one(String)
  /// Any issuer with the token's `tid` (tenant ID) between these parts.
  case any(before: String, after: String)

  private static let placeholder = "{tenantid}"
  /// Tenant names for users of many organizations.
  private static let shared = ["common", "organizations"]

  /// Nil unless `named`, in the metadata of `issuer`, is acceptable.
  init?(_ named: String, of issuer: Issuer) {
    guard Provider.of(issuer: issuer.text)?.has(.tenantIssuer) == true, let own = Self.parts(issuer.text),
      let other = Self.parts(named), own.before.hasSameBytes(as: other.before),
      own.after.hasSameBytes(as: other.after), !Self.isGUID(own.tenant)
    else { return nil }
    if Self.shared.contains(own.tenant) {
      guard other.tenant == Self.placeholder else { return nil }
      self = .any(before: own.before, after: own.after)
    } else {
      guard Self.isGUID(other.tenant) else { return nil }
      self = .one(named)
    }
  }

  /// Whether `issuer` is acceptable as a token's `iss`. `tenant` is the token's `tid`, `keyIssuer` the `issuer` of its
  /// key.
  func isIssuer(_ issuer: String, tenant: String?, keyIssuer: String?) -> Bool {
    switch self {
    case .one(let named): return named.hasSameBytes(as: issuer)
    case .any(let before, let after):
      guard let tenant, Self.isGUID(tenant), (before + tenant + after).hasSameBytes(as: issuer),
        let key = keyIssuer.flatMap(Self.parts)
      else { return false }
      let named = key.tenant == Self.placeholder ? tenant : key.tenant
      return (key.before + named + key.after).hasSameBytes(as: issuer)
    }
  }

  /// Whether `issuer` is acceptable as an authorization response's `iss`.
  func allowsResponseIssuer(as issuer: String) -> Bool {
    switch self {
    case .one(let named): return named.hasSameBytes(as: issuer)
    case .any(let before, let after):
      guard let parts = Self.parts(issuer) else { return false }
      return (Self.isGUID(parts.tenant) || parts.tenant == Self.placeholder)
        && (before + parts.tenant + after).hasSameBytes(as: issuer)
    }
  }

  /// Splits an https issuer at its path's first segment, the tenant.
  private static func parts(_ issuer: String) -> (before: String, tenant: String, after: String)? {
    let scheme = "https://"
    guard issuer.hasPrefix(scheme) else { return nil }
    let pieces = issuer.dropFirst(scheme.count).split(
      separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
    guard pieces.count == 3 else { return nil }
    return ("\(scheme)\(pieces[0])/", String(pieces[1]), "/\(pieces[2])")
  }

  private static func isGUID(_ text: String) -> Bool {
    let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    return groups.map(\.count) == [8, 4, 4, 4, 12] && groups.joined().allSatisfy { HexDigit.value($0) != nil }
  }
}

extension Issuer {
  /// Advice for some Microsoft hosts if the metadata names another issuer.
  var mismatchAdvice: Phrase? {
    let host = (try? URI(text))?.host.lowercased() ?? ""
    // Microsoft Learn: "Configure tokens in Azure Active Directory B2C", issuer (iss) claim.
    if host.hasSuffix(".b2clogin.com") {
      return Phrase("set the issuer claim of the user flow to the URL with /tfp/, and use that URL with \("--issuer")")
    }
    // Microsoft Learn: an external tenant's issuer has the tenant's ID as its host.
    if host.hasSuffix(".ciamlogin.com") { return Phrase("use the issuer that the server names with \("--issuer")") }
    return nil
  }
}
