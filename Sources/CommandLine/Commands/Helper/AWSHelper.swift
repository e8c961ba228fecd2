internal import Encoding
internal import Wire

/// `credential_process` of the AWS CLI and SDKs, with role credentials from the daemon.
enum AWSHelper {
  static let helper = HelperProtocol { (call) throws(Failure) in
    guard call.user == nil else {
      throw Failure(
        .invalidRequest, "this program does not expect a user name", hint: "omit \("--user")")
    }
    guard let role = call.role ?? environmentValue("AWS_ROLE_ARN", call) else {
      throw Failure(.invalidRequest, "no role given", hint: "use \("--role-arn")")
    }
    var url = call.url
    if url == nil { url = try serviceURL(call) }
    let request = AssumeRoleRequest(
      url: url ?? "", roleARN: role,
      sessionName: call.sessionName ?? environmentValue("AWS_ROLE_SESSION_NAME", call) ?? "agentd",
      durationSeconds: call.durationSeconds)
    return .role(request) { (answer, line, text) in
      text.append(utf8: "{\"Version\":1,\"AccessKeyId\":")
      text.append(jsonString: answer.accessKeyID)
      text.append(utf8: ",\"SecretAccessKey\":")
      SecretText.with(capacity: line.count) { value in
        answer.appendSecretAccessKey(from: line, to: &value)
        text.append(jsonStringBytes: value.bytes.span)
      }
      text.append(utf8: ",\"SessionToken\":")
      SecretText.with(capacity: line.count) { value in
        answer.appendSessionToken(from: line, to: &value)
        text.append(jsonStringBytes: value.bytes.span)
      }
      text.append(utf8: ",\"Expiration\":\"\(Timestamp.rfc3339(answer.expiresAt))\"}\n")
    }
  }

  /// Nil if unset or empty.
  private static func environmentValue(_ variable: String, _ call: HelperCall) -> String? {
    call.variable(variable).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// AWS partitions' domains by region prefix, from botocore's `partitions.json`.
  private static let domains: [(prefix: String, domain: String)] = [
    ("cn-", "amazonaws.com.cn"), ("us-iso-", "c2s.ic.gov"), ("us-isob-", "sc2s.sgov.gov"),
    ("us-isof-", "csp.hci.ic.gov"), ("eu-isoe-", "cloud.adc-e.uk"), ("eusc-", "amazonaws.eu"),
  ]

  private static func serviceURL(_ call: HelperCall) throws(Failure) -> String {
    if let url = environmentValue("AWS_ENDPOINT_URL_STS", call) { return url }
    guard let region = environmentValue("AWS_REGION", call) ?? environmentValue("AWS_DEFAULT_REGION", call) else {
      return "https://sts.amazonaws.com"
    }
    guard region.utf8.allSatisfy({ $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") }) else {
      throw Failure(.invalidRequest, "the environment contains an invalid region")
    }
    let domain = domains.first { region.utf8.starts(with: $0.prefix.utf8) }?.domain ?? "amazonaws.com"
    return "https://sts.\(region).\(domain)"
  }
}
