/// Keys created by `openssl` for these tests. They protect nothing.
enum PrivateKeyVectors {
  /// RFC 5915, after the parameters that the command writes first.
  static let ec = """
    -----BEGIN EC PARAMETERS-----
    BggqhkjOPQMBBw==
    -----END EC PARAMETERS-----
    -----BEGIN EC PRIVATE KEY-----
    MHcCAQEEINdyfvJJnnrFyBaVeVaBZPuGicXpmhtGOoeZguh0WY7roAoGCCqGSM49
    AwEHoUQDQgAE01zrS9usLDYa1D5uR6lk+URfMsbPSPO7AEQDTq3jfQufAirHowNo
    CL+LRFflxULjSTXFvEyXqfDYFSqCf26+XA==
    -----END EC PRIVATE KEY-----
    """

  /// The same key in PKCS #8.
  static let ecPKCS8 = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg13J+8kmeesXIFpV5
    VoFk+4aJxemaG0Y6h5mC6HRZjuuhRANCAATTXOtL26wsNhrUPm5HqWT5RF8yxs9I
    87sARANOreN9C58CKsejA2gIv4tEV+XFQuNJNcW8TJep8NgVKoJ/br5c
    -----END PRIVATE KEY-----
    """

  /// PKCS #1.
  static let rsa = """
    -----BEGIN RSA PRIVATE KEY-----
    MIIEpAIBAAKCAQEA7ojQQ40TQ1TFe1lCfqzQujgFSCoa6fu0olMjx/Ujik8JXPdU
    qFGBRJipD4OVX2DNDftL1kDqf8GQHadzyYDXu2yxhoXCEl/POx67HYI1ppSskhqR
    cqynwAVZyD6cy3FixqAMIQE5ZmkESHEH60Oh2PAXcBkhHbsVz0ipELfRDcTSN19w
    wuWv911NuorWUqtAPYP9bkLB3P46N8uQHY4c0XNY6yls34Jcb3OfFJafWt0oxorD
    YGzrBNxJv7iL1B2y1Co4LZ3QdZNn8R5LYNjhJk9zwbe9WLt2+2O/XXPckiI4IZTk
    mjszWzuMcyRA63EoRp0Tw6nQdGrscevO2c0seQIDAQABAoIBAGELEyOwVNprNg6Z
    QVa06xQfr3JtAtcXmqUBiwiSIDvoLMiALRZvVlZ4fys7Hr2XbcUW7AMGFQEV2BJg
    alhbzSjIry6p40tDZFVKitiV/UrAqLamDW9oc7TI2H6BjpusDQH+4gBZdadG6UGp
    jo21zbYq83YdGx5z2wsiJfoRtoDRPYRaY5nND/+cSgt4MjbnJf71an+RAl4qES2f
    PTiID8KwJ5nARLRZJdYyRkikZ8I2rpzaU0NRdO36pyGah+pbck7YCBhSqDIOES00
    JC6/GPvYgxX6d64PvkFSNa66dVp+kNAZM/apiwQhp8JdoJa//NPVlyQw4QWxt9GH
    K6e9VPMCgYEA/uMNEYqcYLBDdszYfgY9T/m7NotY5vbTJoFo1UunSJntMhFhB3Md
    nT/+hiDLzkzYKXctA+2z8qT+3pW8nmjtYVHCsRe1DxPdZGOPspOfUu/qG0hhWAPB
    vuGpmTuEz9rWwOqqtC1ua164k6I9HgLxF0RMniqfuv4obvZbpAhm/c8CgYEA75N7
    ONOR4nFtJ7QUnorMHGvKLxY6iEWPTv6+TQALNM0AQY2rDLRVjjM0qrL3RcPAouP0
    bsPuDzAxUzckMigr7c378YY/x0ZkZ1ktgyzkOFAuRaVBFXJ6EGyQfijiSKAAmFQZ
    MVVpHaxch1EFhooS1ZAkxdR93v8qS1ToWbjfSzcCgYEAxBYEjcQm/bNck16QBpPi
    Q06KGjIlmLm2Q183OTBUZ2QTuHrqPILw+3Kp6qH8aJ9xhKTseqM51qfcc3yaePub
    80ylDPyCDDFqFrsJZ4ZuAa4UWhza1o09Vg3hHcNOL2HZ6NwfqzFwSyW5tcoQXrBA
    rXebwepkq8Svcn4QjibwpL0CgYEAsLqxxnzD/DBCHmzIXR/0a+7T6iJSsV3m1pYz
    GagznBKx4qm4CZoqFskNS/LTWAKMY10XXnJodYnOiR1/NQTPSxCNj2DCQaVawaZW
    XZLLFAOJ7tR2C3U0OFNtz7MnIf3uEnDPWMYx0bLpWuTY16OZOzOm/MzAwbSnpYSQ
    Fke7aMcCgYAP62FVKisj3W9PgDA3vIxeHKSSgq431Efb8WgD07OIioaS3NaSKxHD
    9mH0YeSkW0q7ZUGXMq9ZeMk9gHqtRUt04LttzORGTrZht7+UR37yPNpE6N3tBEus
    kF+F3ZUeMnSNV8J7J8Sw08aZ49jmCHOMj9LsFFnFrGA26KjJ5TMPEA==
    -----END RSA PRIVATE KEY-----
    """

  static let ed25519 = """
    -----BEGIN PRIVATE KEY-----
    MC4CAQAwBQYDK2VwBCIEICv0qmDFKlxsYu35N9UDeIp83CkplK6J9C2Eswquefdv
    -----END PRIVATE KEY-----
    """

  /// A key for key agreement, which cannot sign.
  static let x25519 = """
    -----BEGIN PRIVATE KEY-----
    MC4CAQAwBQYDK2VuBCIEILBn4fxAiiPLQQNvM91Nxgrl26cOxdtK/tXcDOJUKVNz
    -----END PRIVATE KEY-----
    """

  /// 1024 bits.
  static let weakRSA = """
    -----BEGIN RSA PRIVATE KEY-----
    MIICXAIBAAKBgQCjw+Ta25TXiS0nl37UTfvyWKakfSfduHzL16AY6Y/qs+KywMBC
    JZQeCpbgEOR/KQFhnGXBsJBX903YD9fXvHX4C7P7MvS6VIBng1zmZ+BZA5HsNKxU
    sV8q8t8tGhmretXNgamfGdfnhUYAzUIBEFZFIzd4bo1NoBbLT6ynyRfD1QIDAQAB
    AoGAKD2ytrTOVkg2+EuZtsGS73IpQLIgYbM7tzs88+IwoxOg2RvUImzpgJhJirWb
    8EM7O6kauAWS8oqqbjU2bKS6t9xALuS4tYO/3U9KjW6K1lbUUlL7xQYyylmc5wYF
    bJfGkCdyyQYS/Z1SP/mFzYEajDHXbFoAfd4SwMEBb8pKNeECQQDRzHwdQnEGZ6Ov
    W8+PVn7oe+U1pIw2RnHWolrdiV8Hv//rDg1WTqYXuKj5hiuumAnEHweDWa7kbF1b
    o5CYbUNbAkEAx9Q+RomOKYMxNe4QuWBxamZh76w32nrD2ZxRfZsRGqZF7QnyyI8s
    kQkgMT3R9yvFaXdXVZGabpa8fJW7T8qsjwJAdehWWJteqhrVA1i17fjOmhoHV36C
    zn4IvHfCWX86yUA+s/vRww+wiORfEt0074rC8lX+AvQENpwwW7AxM3k0wQJACAc9
    7UWPgZl0u67x2xDF3bl5S9DGea+e+LowB/TX7hMqEgjpSSd/aeBM+815Bw4qIz+Z
    MaXk53aE4hh96wnAfwJBAKDBu1yD5x2ATerM6Yrm93TPHhf6tla1BLn7gC2Kqel2
    AR3A6Uy9UBO6j+h7mI0qtPuVNx8Y4kItG+ivdyUy8lg=
    -----END RSA PRIVATE KEY-----
    """

  /// Encrypted with a passphrase, in the formats of RFC 5958 and RFC 1421.
  static let encrypted = [
    """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAiwV4Npa+q+sQICCAAw
    DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEIVvphrTaFnfFsylJyERNAIEgZC8
    ntg1YltTx+36m3rSlt+Q6fk/U2a3gDXwRV+VymWs7lXNWX1gOpSSH3DRQSHWFBkZ
    TJrewtv1YmslJUWTratscWKbLSaqk3zqroGcqPO3V8QLb0WPzc5rcM5BOAP6kPhq
    i09J96DHsrpftUfaALe9D6OhXYEXqWYldynkyQihstdMBpHf1orfIwpA0Ripfj8=
    -----END ENCRYPTED PRIVATE KEY-----
    """,
    """
    -----BEGIN EC PRIVATE KEY-----
    Proc-Type: 4,ENCRYPTED
    DEK-Info: AES-128-CBC,5D0FBACDC746735CB397DE97DF996D70

    ePthIbTuVjTAN7UbngpenR/vI3GnlTxtehURNQ+mV3wWzfAjCfAwZxS8bVlia2NF
    Xo1GilX+pDQcLg4DywN9RI8Ap+9MTGG9hbGBhihtvTzAA4T//oMSXczqzVJbbpbK
    dUFkon8I+NoSGuuWRbto8rDaaqqQWvYsnWv8HeLPYz8=
    -----END EC PRIVATE KEY-----
    """,
  ]

  // RFC 7515 appendix A.2.1, as one text.
  static let jwkRSA = #"""
    {"kty":"RSA",
    "n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ",
    "e":"AQAB",
    "d":"Eq5xpGnNCivDflJsRQBXHx1hdR1k6Ulwe2JZD50LpXyWPEAeP88vLNO97IjlA7_GQ5sLKMgvfTeXZx9SE-7YwVol2NXOoAJe46sui395IW_GO-pWJ1O0BkTGoVEn2bKVRUCgu-GjBVaYLU6f3l9kJfFNS3E0QbVdxzubSu3Mkqzjkn439X0M_V51gfpRLI9JYanrC4D4qAdGcopV_0ZHHzQlBjudU2QvXt4ehNYTCBr6XCLQUShb1juUO1ZdiYoFaFQT5Tw8bGUl_x_jTj3ccPDVZFD9pIuhLhBOneufuBiB4cS98l2SR_RQyGWSeWjnczT0QU91p1DhOVRuOopznQ",
    "p":"4BzEEOtIpmVdVEZNCqS7baC4crd0pqnRH_5IB3jw3bcxGn6QLvnEtfdUdiYrqBdss1l58BQ3KhooKeQTa9AB0Hw_Py5PJdTJNPY8cQn7ouZ2KKDcmnPGBY5t7yLc1QlQ5xHdwW1VhvKn-nXqhJTBgIPgtldC-KDV5z-y2XDwGUc",
    "q":"uQPEfgmVtjL0Uyyx88GZFF1fOunH3-7cepKmtH4pxhtCoHqpWmT8YAmZxaewHgHAjLYsp1ZSe7zFYHj7C6ul7TjeLQeZD_YwD66t62wDmpe_HlB-TnBA-njbglfIsRLtXlnDzQkv5dTltRJ11BKBBypeeF6689rjcJIDEz9RWdc",
    "dp":"BwKfV3Akq5_MFZDFZCnW-wzl-CCo83WoZvnLQwCTeDv8uzluRSnm71I3QCLdhrqE2e9YkxvuxdBfpT_PI7Yz-FOKnu1R6HsJeDCjn12Sk3vmAktV2zb34MCdy7cpdTh_YVr7tss2u6vneTwrA86rZtu5Mbr1C1XsmvkxHQAdYo0",
    "dq":"h_96-mK1R_7glhsum81dZxjTnYynPbZpHziZjeeHcXYsXaaMwkOlODsWa7I9xXDoRwbKgB719rrmI2oKr6N3Do9U0ajaHF-NKJnwgjMd2w9cjz3_-kyNlxAr2v4IKhGNpmM5iIgOS1VZnOZ68m6_pbLBSp3nssTdlqvd0tIiTHU",
    "qi":"IYd7DHOhrWvxkwPQsRM2tOgrjbcrfvtQJipd-DlcxyVuuMGQXZeQ5TO0QOEcXUp6_HvLKd2vQjWcXWfmFz4EAmGSKt0tBIfMmHWjW0oGLsjFmNF1AZCt0e8xfkvrBS1EV8_mHgnHGZLtwk3L3_8rOHrRWOC7A3p_CqqfBTJ7jQs"}
    """#

  // RFC 7515 appendix A.3.1.
  static let jwkEC = #"""
    {"kty":"EC","crv":"P-256","kid":"k1","alg":"ES256","use":"sig",
    "x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
    "d":"jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"}
    """#

  /// Each lacks a leading zero of one of its numbers, as written by some programs.
  static let jwkWithoutZeros = [
    #"""
    {"kty":"EC","crv":"P-256","x":"RgMdc0UJA9MoNSFNer-ad_AWDShpXKOU04zqY8kPCw",
    "y":"_Vo9nbSKhdO0dVMhIKaA1YBmXT-oqntXbQxSkT7TEWw","d":"o0LY0BBPdKQeiMXwhsogmMXsNlOQXu2-94jS8majfbg"}
    """#,
    #"""
    {"kty":"EC","crv":"P-256","x":"KdnG-XRIhZ3agQmhTbJsCw9mN45hQb5AL4-67VcIbL4",
    "y":"CoeIHEfEykBKX3nIvWAqMvG05rvzuO9NIHBUMQhLWg","d":"JiHjumkNgW11d9NuIDpE5H4y6sHg-c8ZeLST5LwlnDg"}
    """#,
    #"""
    {"kty":"EC","crv":"P-256","x":"cYfRzra1DoDzFPqN_MAN-QDWnHa9GYSD0M1qWkq9xGQ",
    "y":"pWeF6DXhq60AMDEpegxiUK3UyaHdtWoqOicMWK9dPd0","d":"DUVFRx4iXyoTATsi5b2A0YvzOggE4sQlGlv1DCFUCw"}
    """#,
  ]

  // RFC 8037 appendix A.1.
  static let jwkEd25519 = #"""
    {"kty":"OKP","crv":"Ed25519","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
    "x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}
    """#
}
