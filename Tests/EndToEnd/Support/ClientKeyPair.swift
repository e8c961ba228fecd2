import Encoding
import TestSupport
import Testing

/// A client's P-256 key, created by another implementation, and its public half.
enum ClientKeyPair {
  /// The paths of the key in PEM, and of a JWK Set with its public half under the ID `k1`.
  static func make(in tree: AgentTree) throws -> (file: String, keys: String) {
    let (file, half) = (tree.path("key.pem"), tree.path("public.der"))
    let result = try ProcessRunner.shell(
      "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out '\(file)' 2>/dev/null"
        + " && openssl pkey -in '\(file)' -pubout -outform DER -out '\(half)'")
    try #require(result.succeeded, "\(result.errorText)")
    // The point is the last 64 bytes of the public structure (RFC 5480 section 2.2).
    let point = try tree.directory.read("public.der").suffix(64)
    let (x, y) = (Base64URL.encode(Array(point.prefix(32))), Base64URL.encode(Array(point.suffix(32))))
    try tree.directory.write(
      "jwks.json", #"{"keys":[{"kty":"EC","crv":"P-256","kid":"k1","use":"sig","x":"\#(x)","y":"\#(y)"}]}"#)
    return (file, tree.path("jwks.json"))
  }
}
