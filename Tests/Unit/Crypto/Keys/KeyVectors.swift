import Encoding

/// Keys of RFC 7515 and values made with them by another implementation.
enum KeyVectors {
  // RFC 7515 appendix A.2.1.
  static let modulus = decoded(
    """
    ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SF
    d2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo
    7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkM
    Ls91kzk2PAcDTW9gb54h4FRWyuXpoQ
    """)
  static let exponent: [UInt8] = [1, 0, 1]

  // RFC 7515 appendix A.3.1.
  static let x = decoded("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU")
  static let y = decoded("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")

  // RFC 8032 section 7.1, test 1.
  static let seed = hex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
  static let edwards = hex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
  static let edwardsSignature = hex(
    """
    e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd
    25bf5f0595bbe24655141438e7a100b
    """)

  /// The message "salt", signed with the RSA key above, SHA-256 and PSS with salts of these lengths.
  static let pss: [(salt: Int, signature: [UInt8])] = [
    (
      0,
      decoded(
        """
        GeNZmP94sSSEU_3hKlP3NKmc6_oFqVIpKljcaRZRyYUEC-taLAHzYaeVQ2lQbToMrZG_0mY44IXUPkY8aLlT0ahNwh6aeURZOr_U
        qZ6vLk-qu-_x35_22tnqVf5wmxSMpgVgfuGO3lqC2LMxLOIYD0s7eR03f1WC_ORtznvBELCG77KOqCOB9OXkIYoKcAh9Ug2ZacHy
        b1eMMGNm0x0F8EUq141AMRIaVaMommhRlXO9VzzgC6HZVAZmCdJFJoFamtk6UK2nlGUYEOAQOdx7tlKY69WczBGBKfKrtzrqL70b
        1WdaehuG1ub2It6UnD9k2NhQiX7VwIeURR5qJZnYPw
        """)
    ),
    (
      20,
      decoded(
        """
        NJH08J-rfZgosMs-HqlU82R9VdcUHuNmwNqH5qiYzC9vr8YpBExwHpYeJfpSrmnJ349jYvmWfiroVV0I2N10VgI6VrQjaRFHkCQj
        VmS9hMN1_orN-WCOKAm5kwlC9Jr-sbF2BuQbQXdKAe2I7yDZ5ha8Nz__NEhFBU5CS5vXz54dmwc94WYTG_CpD8AXG1CQLljzK26n
        OENZY9gSF5ozxWI-_RGjmBUtehva_JLcrKpL45RO5USkziieurRTmojcT-lbOOHeYhvaSmzz00L5rjycFKsKgK6u3oiZD4ma1NeP
        TT6Ilq1Vft1yqK1PzvsX2cXIDUOhGMnRaEDlhJn4tQ
        """)
    ),
    (
      31,
      decoded(
        """
        WMcdH6xG_f0cCLIvK5ODozCDS8-siVptxLv_oKjT-OWPcv_xp66t0wrGXA3N5RZf_yhLIKLiKU6f5mqSEhGhRUgbVe6l8frgOyJZ
        TfyPlEGvvplFFJlrENKfcwtrwEGNYh9owk-LJifFaeCys3oid3OMLnL5dibk7WQGDQ_IKZYIuVuUKuVea8j0aZlWTdeRkqd2F-DD
        9OtimC72fkKQOhjfmL3aavUJ1JMRX5bKnRLS9dCQc7N346tey5-cCwJpmP6Wg7PtzANtHPAHMIt6APtJkcBcajz14gYzA6AFS19E
        CmIjhx25Coh_Zi4drjT67w2cVKcQeuSVVY5BNG37yw
        """)
    ),
    (
      32,
      decoded(
        """
        iNxmH2SjFIjsHqY8pAMikg3PLOen3t2jlVasJvfhbAF9WoweBMyg9m4EhTcyap130S2xd47nf1DAtsP-YnvVp6eLBk3ywOpeb66N
        srWj_3BvFE_jQcFfBhJ43_dZ2A_gAhi_qwJDfzEaB--wCym-B1yyHKUdyGMxSTb6cMn-auZKZpw01MTcllcHjXVzesUb5Yn_3T0D
        sxtBNw1mCdK3ACJ2pUzcRm3DTPI6BawxpBTumNQxO7OyUU_W5gZ008lfPuXHX3E3myjjByys_Vaf6kJruyvCmr0mN_UGiDFzMkCY
        XeLOGdxr7l42XJkWr4viZJvxy78jURnTOa4zpLZezw
        """)
    ),
    (
      33,
      decoded(
        """
        OWWAPgv_oWyyDqh9kkWLtdHFPcc8p1EmthZc72vcL8lZG4vmcrFxGJcIIZm-JJEAhvNXLq_jZV925e3tLCVP6cbFpHpobW_7NwZc
        IrLtVgU9mVWkqdRI0fosZFNSpNso62aWVQmZ-XbzBKSiKC7CE16E0tvXnJD8pyCCPt_uRa73VsejJmSqk-ZQwR1yTzsi8V8naTZd
        BZchFGNRSjtY6eCcDM8i63lwvv4KoQMkwdB_iTJwI4kJdvbxMAqDUCwVjXVyhgM4gwT8mZ2bhx5WaGv6c6Za9eI3E4s0SHx3QXtE
        HEyuLlSec6yIQTNTEhHtxcrSBLZQZJ_nmE-ZfeT1OQ
        """)
    ),
  ]

  /// The same message with a salt of 32 bytes, but SHA-1 in the mask generation.
  static let pssOtherMask = decoded(
    """
    b5IpavhKwIX-rIwqN9EMhlR6jv3_22JwcYmVnFtEi2cj-Ewk6bNzh2M6j2GaRG0FmjaXt9iBsP2OaAwiMh0FmekptBuuUeU83Rts
    fsckE3a7jws7lExXbz-2LOC8sl4MxHvjGzuDPjq-Y135s9YkXaLKpNhLbB7xWo6W1KeeEfRPeOEgMzHvGsXLnGyiMnLVf8wC91ta
    ByyVSjXlL38BFFmbe0ZpIJ1SlfFpx86CLt3pEdjvvF59QofkjQgFaEkQ8RQJArIxw1xgjCfvWqQD3fZXGhuarpKP3hYduwHS23Vo
    rpKXOhTgIS3FRVIj6ML6D7wTbclNcJ8fBq-Blmchpg
    """)
}

private func decoded(_ text: String) -> [UInt8] {
  (try? Base64URL.decode(text.filter { !$0.isWhitespace })) ?? []
}
