/// A certificate and key created by `openssl` for these tests. They protect nothing.
enum CertificateVectors {
  static let key = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg13J+8kmeesXIFpV5
    VoFk+4aJxemaG0Y6h5mC6HRZjuuhRANCAATTXOtL26wsNhrUPm5HqWT5RF8yxs9I
    87sARANOreN9C58CKsejA2gIv4tEV+XFQuNJNcW8TJep8NgVKoJ/br5c
    -----END PRIVATE KEY-----
    """

  /// Self-signed, until 2126-10-28 05:40:38.
  static let selfSigned = """
    -----BEGIN CERTIFICATE-----
    MIIBZjCCAQygAwIBAgIBATAKBggqhkjOPQQDAjARMQ8wDQYDVQQDDAZjbGllbnQw
    IBcNMjYxMTIxMDU0MDM4WhgPMjEyNjEwMjgwNTQwMzhaMBExDzANBgNVBAMMBmNs
    aWVudDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABNNc60vbrCw2GtQ+bkepZPlE
    XzLGz0jzuwBEA06t430LnwIqx6MDaAi/i0RX5cVC40k1xbxMl6nw2BUqgn9uvlyj
    UzBRMB0GA1UdDgQWBBSwMhITMGyOAi8tMaK24wkFnCI+ZzAfBgNVHSMEGDAWgBSw
    MhITMGyOAi8tMaK24wkFnCI+ZzAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMC
    A0gAMEUCIQDVADisAt5Aw8MHkFwIb+LFYZsuRfApabfq34hSjvt6UAIgEvjdV2fT
    nSAMQHMH7P+Dd2zKKsDncSR7w6f/c//tI7s=
    -----END CERTIFICATE-----
    """
  // By `openssl x509 -outform DER | openssl dgst -sha256 -binary | basenc --base64url`.
  static let thumbprint = "v6YjWbf5aSzfSf1Rn4UoOL2M7VisDM5zBlhE6M8ZoH8"
  static let expiresAt = 4_948_839_638

  /// The same subject and key, issued by the following authority.
  static let signed = """
    -----BEGIN CERTIFICATE-----
    MIIBGjCBwQIUHCqjRj+kbx2GK9Zv2ukui+M2IYgwCgYIKoZIzj0EAwIwDTELMAkG
    A1UEAwwCY2EwIBcNMjYxMTIxMDU0MDM5WhgPMjEyNjEwMjgwNTQwMzlaMBExDzAN
    BgNVBAMMBmNsaWVudDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABNNc60vbrCw2
    GtQ+bkepZPlEXzLGz0jzuwBEA06t430LnwIqx6MDaAi/i0RX5cVC40k1xbxMl6nw
    2BUqgn9uvlwwCgYIKoZIzj0EAwIDSAAwRQIgD74wKG3Ssx9KftC2XfXNfuipj9sB
    pWIZjfIWYOBd7XMCIQCl9GCSY1C0pVwYZuut3u3DOlWORY3i98ijMrTnlOAfnQ==
    -----END CERTIFICATE-----
    """

  static let authority = """
    -----BEGIN CERTIFICATE-----
    MIIBcDCCARegAwIBAgIUXkxtyuy9zfI2r+PBP3W3eoAOsXMwCgYIKoZIzj0EAwIw
    DTELMAkGA1UEAwwCY2EwIBcNMjYxMTIxMDU0MDM5WhgPMjEyNjEwMjgwNTQwMzla
    MA0xCzAJBgNVBAMMAmNhMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEIieOAdx4
    cUtqUy4FoLxObdUlqS2Dr5pfbxMtf+7BgLLHG2pygYRPUfAlWYk49HUPydsE1Hr2
    cBqhUbMWZtklc6NTMFEwHQYDVR0OBBYEFJV7/QEwDSjFT6rubWbqHWMKwn2+MB8G
    A1UdIwQYMBaAFJV7/QEwDSjFT6rubWbqHWMKwn2+MA8GA1UdEwEB/wQFMAMBAf8w
    CgYIKoZIzj0EAwIDRwAwRAIgONnR8YDcA9xabz4GUSJVPC0Whq0Yhfz0p05TmQAk
    JEUCIDl0A6s8ZRDOw0LiuKJyVHJDF4Nej2N2frel9dOY5Y8x
    -----END CERTIFICATE-----
    """
}
