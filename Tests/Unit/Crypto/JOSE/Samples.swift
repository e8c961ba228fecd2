import Crypto
import Encoding

/// Tokens and keys of the RFCs.
enum Samples {
  // RFC 7515 appendix A.2.
  static let rsaKey = key(
    """
    {"kty":"RSA","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0
    Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e
    -KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj
    8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ","e":"AQAB"}
    """)
  static let rsaToken = joined(
    """
    eyJhbGciOiJSUzI1NiJ9.
    eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.
    cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9C
    UAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6
    _dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp
    0igcN_IoypGlUPQGe77Rw
    """)

  // RFC 7515 appendix A.3.
  static let p256Key = key(
    """
    {"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
    "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}
    """)
  static let p256Token = joined(
    """
    eyJhbGciOiJFUzI1NiJ9.
    eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.
    DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q
    """)

  // RFC 7515 appendix A.4.
  static let p521Key = key(
    """
    {"kty":"EC","crv":"P-521",
    "x":"AekpBQ8ST8a8VcfVOTNl353vSrDCLLJXmPk06wTjxrrjcBpXp5EOnYG_NjFZ6OvLFV1jSfS9tsz4qUxcWceqwQGk",
    "y":"ADSmRA43Z1DSNx_RvcLI87cdL07l6jQyyBXMoxVg_l2Th-x3S1WDhjDly79ajL4Kkd0AZMaZmh9ubmf63e3kyMj2"}
    """)
  static let p521Token = joined(
    """
    eyJhbGciOiJFUzUxMiJ9.UGF5bG9hZA.
    AdwMgeerwtHoh-l192l60hp9wAHZFVJbLfD_UxMi70cwnZOYaRI1bKPWROc-mZZqwqT2SI-KGDKB34XO0aw_7XdtAG8GaSwFKdCAPZgoXD2
    YBJZCPEX3xKpRwcdOO8KpEHwJjyqOgzDO7iKvU8vcnwNrmxYbSW9ERBXukOXolLzeO_Jn
    """)

  // RFC 8037 appendix A.
  static let edwardsSeed = "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"
  static let edwardsKey = key(
    """
    {"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}
    """)
  static let edwardsToken = joined(
    """
    eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.
    hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg
    """)

  /// The lines without line breaks.
  static func joined(_ text: String) -> String {
    text.filter { $0 != "\n" }
  }

  static func key(_ text: String) -> JSONObject {
    (try? JSON(parsing: Array(joined(text).utf8)))?.object ?? [:]
  }

  /// Nil removes a member.
  static func changing(_ key: JSONObject, _ changes: [(String, JSON?)]) -> JSONObject {
    var key = key
    for (name, value) in changes { key[name] = value }
    return key
  }

  static func set(_ keys: [JSONObject]) -> [UInt8] {
    JSON.object(["keys": .array(keys.map { .object($0) })]).serialized()
  }
}

func parse(_ compact: String) throws(JOSEError) -> UnverifiedJWS {
  let bytes = Array(compact.utf8)
  return try UnverifiedJWS(compact: bytes.span)
}

/// A token with this header, the payload `{}` and an invalid signature of three bytes.
func unsigned(_ header: String) -> String {
  Base64URL.encode(Array(header.utf8)) + ".e30.AQID"
}

func makeKey(for algorithm: JWSAlgorithm) throws(CryptoError) -> PrivateKey {
  switch algorithm.signatureAlgorithm {
  case .rsaPKCS1, .rsaPSS: try .generateRSA(bits: 2048)
  case .ecdsa(let curve, _): try .generateEC(curve)
  case .raw(let type): try .generate(type)
  }
}

let everyAlgorithm = Set(JWSAlgorithm.allCases)
