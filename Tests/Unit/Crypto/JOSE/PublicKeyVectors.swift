/// Public keys of ``PrivateKeyVectors``, written by `openssl`.
enum PublicKeyVectors {
  /// SubjectPublicKeyInfo.
  static let ec = """
    -----BEGIN PUBLIC KEY-----
    MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE01zrS9usLDYa1D5uR6lk+URfMsbP
    SPO7AEQDTq3jfQufAirHowNoCL+LRFflxULjSTXFvEyXqfDYFSqCf26+XA==
    -----END PUBLIC KEY-----
    """

  /// An unrelated key.
  static let otherEC = """
    -----BEGIN PUBLIC KEY-----
    MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEdfOgvDOl1MuWOLEkYW8cEnEeZZbq
    FiT0Iv/ooXgtNAL9zmsIu7Z0IatF4XDXeb6Z4nQj3ZkZnV2GHwoCy1fh+g==
    -----END PUBLIC KEY-----
    """

  /// The key ``ec`` in a certificate.
  static let certificate = """
    -----BEGIN CERTIFICATE-----
    MIIBcDCCARWgAwIBAgIUEi9Hm/oQAjgLZsoLeooRc9tDQr0wCgYIKoZIzj0EAwIw
    DDEKMAgGA1UEAwwBdDAgFw0yNjExMjMwNDU4MjZaGA8yMTI2MTAzMDA0NTgyNlow
    DDEKMAgGA1UEAwwBdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABNNc60vbrCw2
    GtQ+bkepZPlEXzLGz0jzuwBEA06t430LnwIqx6MDaAi/i0RX5cVC40k1xbxMl6nw
    2BUqgn9uvlyjUzBRMB0GA1UdDgQWBBSwMhITMGyOAi8tMaK24wkFnCI+ZzAfBgNV
    HSMEGDAWgBSwMhITMGyOAi8tMaK24wkFnCI+ZzAPBgNVHRMBAf8EBTADAQH/MAoG
    CCqGSM49BAMCA0kAMEYCIQDDitJxlDIsKPlk9lcjFfds5dCTuKBb+cVjnizF7XcZ
    aQIhAMP9ddXsvzs1wD5H/o/0A29CwpHJW6MhZC7Qch/IpWL4
    -----END CERTIFICATE-----
    """

  /// SubjectPublicKeyInfo.
  static let rsa = """
    -----BEGIN PUBLIC KEY-----
    MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA7ojQQ40TQ1TFe1lCfqzQ
    ujgFSCoa6fu0olMjx/Ujik8JXPdUqFGBRJipD4OVX2DNDftL1kDqf8GQHadzyYDX
    u2yxhoXCEl/POx67HYI1ppSskhqRcqynwAVZyD6cy3FixqAMIQE5ZmkESHEH60Oh
    2PAXcBkhHbsVz0ipELfRDcTSN19wwuWv911NuorWUqtAPYP9bkLB3P46N8uQHY4c
    0XNY6yls34Jcb3OfFJafWt0oxorDYGzrBNxJv7iL1B2y1Co4LZ3QdZNn8R5LYNjh
    Jk9zwbe9WLt2+2O/XXPckiI4IZTkmjszWzuMcyRA63EoRp0Tw6nQdGrscevO2c0s
    eQIDAQAB
    -----END PUBLIC KEY-----
    """

  /// The same key in PKCS #1.
  static let rsaPKCS1 = """
    -----BEGIN RSA PUBLIC KEY-----
    MIIBCgKCAQEA7ojQQ40TQ1TFe1lCfqzQujgFSCoa6fu0olMjx/Ujik8JXPdUqFGB
    RJipD4OVX2DNDftL1kDqf8GQHadzyYDXu2yxhoXCEl/POx67HYI1ppSskhqRcqyn
    wAVZyD6cy3FixqAMIQE5ZmkESHEH60Oh2PAXcBkhHbsVz0ipELfRDcTSN19wwuWv
    911NuorWUqtAPYP9bkLB3P46N8uQHY4c0XNY6yls34Jcb3OfFJafWt0oxorDYGzr
    BNxJv7iL1B2y1Co4LZ3QdZNn8R5LYNjhJk9zwbe9WLt2+2O/XXPckiI4IZTkmjsz
    WzuMcyRA63EoRp0Tw6nQdGrscevO2c0seQIDAQAB
    -----END RSA PUBLIC KEY-----
    """

  static let ed25519 = """
    -----BEGIN PUBLIC KEY-----
    MCowBQYDK2VwAyEAhVPE2QSCJOGjANZqJfWwsPeaEd07nFzZxL0Q8MIlSEE=
    -----END PUBLIC KEY-----
    """

  /// Not a key for signatures.
  static let x25519 = """
    -----BEGIN PUBLIC KEY-----
    MCowBQYDK2VuAyEAAQSb5H/IFkJn1s8F+DJ8EAnwBTEPcksn/vmCP6z8aXc=
    -----END PUBLIC KEY-----
    """

  /// 1024 bits.
  static let weakRSA = """
    -----BEGIN PUBLIC KEY-----
    MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQCjw+Ta25TXiS0nl37UTfvyWKak
    fSfduHzL16AY6Y/qs+KywMBCJZQeCpbgEOR/KQFhnGXBsJBX903YD9fXvHX4C7P7
    MvS6VIBng1zmZ+BZA5HsNKxUsV8q8t8tGhmretXNgamfGdfnhUYAzUIBEFZFIzd4
    bo1NoBbLT6ynyRfD1QIDAQAB
    -----END PUBLIC KEY-----
    """
}
