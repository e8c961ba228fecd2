/// Why a text is not a URI that we accept. Holds no byte of the text.
package enum URIError: Error, Hashable, Sendable {
  /// More than 2048 bytes.
  case tooLong
  /// A character that RFC 3986 does not allow at its place, such as a space or a quote.
  case invalidCharacter
  /// Not absolute: no scheme and colon at the start (RFC 3986 section 3.1).
  case noScheme
  /// No "//" after the scheme, or nothing after it (RFC 3986 section 3.2).
  case noHost
  /// A host that is neither a DNS name nor an IP address (RFC 3986 section 3.2.2).
  case invalidHost
  /// A port that is not a plain decimal number from 1 to 65535.
  case invalidPort
  /// A user name or password before the host (RFC 9110 section 4.2.4).
  case userinfoPresent
  /// A "%" without two hexadecimal digits (RFC 3986 section 2.1).
  case invalidPercentEncoding
}
