internal import Crypto
internal import Encoding
internal import HTTP
internal import QRCode
internal import Wire

/// The versions of this program and its system libraries.
enum BuildFacts {
  /// `{"version","commit","libraries"}`.
  static var json: JSONObject {
    var object = JSONObject([("version", .string(Product.version))])
    object["commit"] = Product.commit.map { .string($0) }
    object["libraries"] = .object(
      JSONObject([
        ("libcurl", .string(CurlLibrary.version)), ("openssl", .string(CryptoLibrary.version)),
        ("libqrencode", .string(QRCode.libraryVersion)),
      ]))
    return object
  }

  /// The output of `agentd --version`.
  static let text = "agentd \(Product.version)\n"
}
