import Encoding
import Wire

/// Token responses as received from the socket, without their newline.
enum AnswerLine {
  static func make(
    _ token: String = "abc", tokenType: String = "Bearer", subject: String? = "42", scope: String? = "a b",
    expiresAt: Int? = 17, idToken: String? = nil, claims: JSONObject? = nil, isIDTokenExpired: Bool = false
  ) -> [UInt8] {
    var line: [UInt8] = []
    var description = TokenDescription(
      account: "work", issuer: "https://id.example.com", subject: subject, tokenType: tokenType, scope: scope,
      expiresAt: expiresAt)
    description.isIDTokenExpired = isIDTokenExpired
    let accessToken = Array(token.utf8)
    if let idToken {
      let idToken = Array(idToken.utf8)
      description.appendAnswer(accessToken: accessToken.span, idToken: idToken.span, claims: claims, to: &line)
    } else {
      description.appendAnswer(accessToken: accessToken.span, claims: claims, to: &line)
    }
    return line.dropLast()
  }
}
