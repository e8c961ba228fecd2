/// When a sign-in shows a QR code: `--qr-code`.
enum QRCodeChoice: String, CaseIterable, Sendable {
  /// Where the whole screen has room for it.
  case automatic = "auto"
  case always, never

  init(_ invocation: Invocation) {
    self = invocation.text(.qrCode).flatMap(Self.init(rawValue:)) ?? .automatic
  }
}
