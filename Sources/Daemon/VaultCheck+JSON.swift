internal import Encoding
internal import Vault

extension VaultCheck {
  var json: JSONObject { JSONObject() }
}
