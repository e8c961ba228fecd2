import Crypto

/// Signatures with the private key of RFC 7520 section 3.4 for the token of section 4.1, with blocks that RFC 8017
/// section 9.2 does not produce.
enum PaddingVectors {
  /// The defect of the block, and the signature.
  static let all: [(String, String)] = [
    (
      "no parameters",
      """
      Lc2ML33bj_dlUeGUOuAT3N6xGHqYcdzMuRi9SqmcuAbZMjt7D4MZQf-qVO6fN9frwjDfhNC8V18AzJsX7V-e3p6yyrN9PpjpQyR6
      3LiPbuanysePHgy6LlFS4DvL0KKl7gqy5odRR4jjqAHb8WBf3zYPsokpu0lx3eRQ4PC7b-Jb1AJTqfHZW3G1WxPABKNUcQAnEJCp
      QhdCKDPJ81midy46dMOgmnOYsfYjbSmoVnI2Ek1dAZjnBaP4CC2KWwoNtoTe1T4FV3spn43gXWcGrFa1vOVMIaamRZmffjYaEKIf
      UZSjHrQIMyrvQsertd0SBE4SKzsu9mFIQMSLFLvvSQ
      """
    ),
    (
      "rubbish after the hash",
      """
      QLGeJ8J2HaPIdr6vmTjpwo68k1h7TPF_6-jLlmFqhUWtKcLli6VSooZF4LlU6IIu31dqxpIQCaQgLZhu94j6cuL5qOoyvs2HwVK4
      nQgT6ZcB5ypO30gNiw8qyw0gLPRNtQuaax2onOGkO2GX2kK7gHxkLC0yHTHmvZvhi9kwyOQSFPjzpy4fIQ6eN8aAMR1Hc34hXadX
      Bb4noXSTXOOl9r3dNKX3bwR3ZHI7CbFP4hCvFFlpvoOR_HUOmmoF7yaSVELB7tESh2WYqZ86lysxE8tCSXNa2FqktF3C6eB3rUct
      YCwBqQiDgpghY8izaROSCMokQj3W4AgA7-0nmDsuUg
      """
    ),
    (
      "rubbish after the hash, short padding",
      """
      Fi0od0Zne-_KTOUvkYNvEFCE91-l8TqVmrhrl9JQ7twol1efx6qPROdgE7j0P3_ZM4tvLC3f1BjHZVDQMcBG2CCNyjZ9myCgM-rI
      MiXc43sQjYuvfV9zHHKbgZdo1WpQA-UWOOBsHD68zr_FJGEWeIBKrsu6hMs_5D18P9-OcSob_WA9xpmXJnJUtk1ZeFoEY9skRGfd
      xxCizQcchaWPS3VxLHLuZBvzb3u5NrzqmDI9pmVCrAdaGMXrlcGxFsZQoEVIzyOCvX0Ooi1IPzWOtqOvj7hiS17e355gDT3NA3ru
      bBuJehxQEUQgSVNFzI7YdhQR2n3x8iFcPLFqn9mPLA
      """
    ),
    (
      "rubbish in the parameters",
      """
      WEnLqfB1v0-Y_axbE5CFTj3cbvKxgo6cdESxYl3eQnnRZTPn758JJ4qsmOypv0mUhXppB8DS0EvVUY44Q_Bj7cr7oPibtWNj_co4
      P31ECqjmm_fSVJRWr_rHzlM3-HeRFduGLiwdsFB0s1Os8T054MNeRPOzX8LMkMXI1b8HRxUH8ZlSg35gOw9AP4eOjxnuAwsyCptC
      6meJS-vxL8zyDxW_HBcl-OeVdmJecmWLbxgAmPMqJ25jqeFTxOBSC2fcj5qTe9Y-lQqKsIij5afAnx3-RNfNBSK25EJewacg66SN
      beu92zrtAQ6HUQSCjRA1tZwi8v_fn-0ypdyAMQjkIQ
      """
    ),
    (
      "another filling",
      """
      QxYnYEDOlMiy0FafpENYDygi1_gs3d5FjssnT3oq7BYT6YTIh9eIE1ZJ19gSZw_ZbUFUNKETV-04vC9cYIgiFpKzLg3wUX5zptYr
      OGL5-zlUyE9cP6AjOTjZo-L0At3LzMcKmygUsbA678mfiSA2S_kuNrrvVVZcbS8IJcZXYqbV5hbfKGeEvGS9XuBTxZQRH-oSD7Dt
      wAmZNvvePz45WrBe9bN3LACwvpDxYU2b2OTNiEWhEsxE3gJPKHmSXj_K1-gig_4z5TRgi7sSgp451QlJMXODG5GPPQfOvOlQN7OP
      zB0jRehEjvhX3AY_YFybuHbSmxaU_kqFAwc3S3C25g
      """
    ),
    (
      "block type 2",
      """
      DMg52S_QnwMcbzgN1mvSMUI_BMUGsTIcy-ixYGVp8EhJegmBxq93k0VMwuHDGtwEL-9fqeKbtBMNY7Od5O01Lv8pQpReDRdf1Fy8
      73Te6zKZINTfRDvIXRIXk_HvMk5IZkez2LIR1_qc19qLE_z_I8K0nrwQCH2Qr4Lr_xNMsaGwz4jXonL6AjP2FPxvZiVUPMHly-rP
      NB8ix1scEIL0NTOYGTFSwKK6kF6FfIhGEWMWn132Bpt8WFMegmfBjwJjCkVn-E9KgsdKEVivh4N28PpF9LcfRJbhBFfRgD_ozbYF
      _b-g9yEMLbQ77EImhio7DVe8Iy5NUvbg4FqiwT-crw
      """
    ),
    (
      "block type 0",
      """
      PV2VM1PQqcr-1RvNqx4Q5Lvc2rc4ylVRkz8AnBgB75YVcXh8_kjxFLiCk_XERYFd5ylOu74hOtJxTozYZECvJPfxDXfpLFCjTBhq
      rE7-664W8fgBC-B2laFl2mfwe1bs4z2k2KB-VNhY30pB9lfq8K-QMSKtNvndUuoIpjsmjLYkvz-4foK8kT1T8uG-4EhwBboqobpu
      y6AlGE9GAU8tONqqkXDzjIOWRwRdVdTXgOaxcIPWzyJ-KiJlzbNVfdUuRTy35dQ6rScVpI_Qz8tIi-r1jNgtAQO5idYS87YMGFAc
      q9fyYB8dlgYweRWTtfdEyV6W2ijp39YrhG0Bj_odTQ
      """
    ),
    (
      "a leading 1",
      """
      UISlc6X23SPqEBOUTwJBfxS2OkMsCk_9GtFVLxKVcxWSnTP73Kaosb1MPVceEkR7nQuaX_4eSQgPad-_DyVT0HLeSBOIyaXmnhxX
      W1OYSX6ztmiF2AzCc8wqFX8JBfG0TA7WXMDkYU7H1J2T_xGfdmtXROR5W_9A9jc8HUOyxyE89-hoht61r_P3kTM9Nmnj4YPjaw8F
      P9Z5YLWjzi3mZbij766RxGhGWrQqi-lUOhM5AZzsiB2XBadkCt47dXLY1uuPKa5mBGMqp7kRMcqO06-SnJpUuxHGR5UWqbTaMEWp
      VQfd2_Q-jNlYwutbl25P_RYID2OXlLwuP1DrVCezig
      """
    ),
    (
      "the hash alone",
      """
      dPUY7X1dW4fWjLC8DoA9nvr5yBXsMTxCIzeR5IqrI2On83nTp7KO3J5ZIaCEjftgKrx4Clbd41kxSRGTR5xS3gmppsZh-LASANXB
      0ah7yCf9XvvB3rDWtbr5qFPOsSp_OOH-m-D1B1mnRyIeHli3Rb2M04mdKT87ixoGB4tEBXH88jaknNj8diklyaMwgNRYYUioMd0i
      ToOBp16M4Cx7IL7OqxfYRu8QDI2WM89MhAdU1jLZdTec9SrHdIz4qIcLddBePBdnvSuywYVgLhdxy8OB7TS1_HEYjIs1WkcIC-dy
      coY4t_rMe8-j_E3nNTk9iVDdZl0QsLwZe6CbsjdrDQ
      """
    ),
    (
      "the name of another hash",
      """
      B6sPoUCuIAw6Tumk7MApwV4NZFUE7CFYjNmIodMRihgVkyQzIRS4sd2vzkQ5RkkSZKioHtDpXIFCVpbH-KkoShJTLFYGxzGjk5du
      LCC90bCLlSZugSam1ZOiiHGlssu3dm-xp-xjRixPfdTKAEcwLEWqsDRpQWDgvnz38T-bOeSz8GuN7yNjFUI5sEj-psyQ2jStL9YQ
      9VjrulCqwRehd9Yh-D_HA6QlzfbFuNFU5KHm0SwPNc70dkPbcpg4bzKDE1qgABfpTZp2ObNuFW7fYRw2cmqLAC0ZUrLXff27r2ow
      0qAVU7I49r_-a8C-RVQVF8SQ_i6ZnZHAeeFCjU63fA
      """
    ),
    (
      "a long form of a length",
      """
      Ys6X0qW44KmEMxf88nLIYQExZCqtWMX3K2J2aLziHUg2xYn21iZMI6xtm70daHslfDu4aZoM79sSIyoV59PixFUKH9bTow87x_Us
      6JySlvxTGMyivH2o9ao6x8zY9SLEtGytaSWHdZIkugE0Imt8ndOBraDBiVEkRD36azqBvE54YcylQx-Fyk15F_EegLuO6-UAWj6f
      Y5GGqNYLYCXGzjy7lVFWP0q7PS6FTp98mz13xtWfc8dp5G2gDnatGLOhPbzGTS23y02FetR3FPPgahsVjitt8tTqaTfjonFaUfun
      WU11fMw2NAg02fhuDBwlk0MFnnwZI1515GbEkqAGQQ
      """
    ),
    (
      "no zero before the hash",
      """
      CWlMPnV7cbVEEVRB7Ed0zlYkIwu7PKvt5laBEZDcqQxDdgTkh2eVvNOEQcePhaVsg3hkuSLC9WXmixK9GOe-VQ0L4YaH9jSLbC2i
      pbYT81yjUeEDfdGqqPJqtIEciFS_nw1lntIQWmoPC1b7KaFvgQHzbWE8bMy5qlbfAYlCEfBeqEoKeB9BfFjA-44SzCyz32XRIi8h
      RmKtHs_h1fYX5AuYB6MZ2GF8oQ3M735QmaE-ZWuE38yH_sJQ6r08WGFsqgjUEQH_XVJ_AY7mcB-AsTa631_AsOou-Rgf9MPZvte9
      iNbpDj97jMxWjAve86mb-YQehxjJpITLvwJTI82HAg
      """
    ),
    (
      "the modulus added",
      """
      0JntRmA-c7o4zxi-QKXLjCQjm3WYHaAJ6VHzLJDk1zAreB8xthOhDerpg-98JcCMGqo9-lJYn0OuxHhmTCc7_xw2x4G3KyHpWPz-
      K1xtIc6VSXgHQ8DpRvwKC9lre-com8m8EZtUPbYW3uEE15ZgagACE5KzBSyueU2BxsdvZ3Hvba8YipNDfDJRSPeS_y36kjFFVB4W
      Pq0SvJrMzDx8GSO80a7g7uG--SYZrhVthmYuXqezoSyKr2JilZV833wuZE3wKNVXpfpGEbsfZQc1tqUokO5ALP2WZN_26FVbyRru
      XELhG8VCgXcIDOQr9a4Rc6UiN5BMUN7xzS9aPQ6n3Q
      """
    ),
  ]

  /// A modulus of two primes with the structure of CVE-2017-15361.
  static let structuredModulus = Samples.joined(
    """
    sKiosPChtRNVst2NLdBL_GvIlZhawppSp5pyVkeRPFcrFVA9TyTLHfTye7t5aNXk_oqRDIS4F5T1hnK9uHUoBiXCCaaQB4fdmeTm
    WY-dAfdP5PnR3zhjuhEfWehqQ5QZSk-jot2DBmy_1h40gaSZxN8QRIiiTQG2enHxO4JZPJ6Jblgxvafy-AmwNqj8DZwYlrNIEEmx
    TR6jArQBujZRjRmxI06CAnlhZSbx6BcvpKYrZyhFKDaSKN5sDBQP_ZZxdWbD-xIYnitEHZ-_awXCQN-SpGmOBW4Dq5KFHTMaD4jl
    wZ4ILMipANe5xU16B6n9b4Wjx1SWUCFE2gSKgT430w
    """)
}
