internal import Encoding
internal import Wire

/// Kubernetes' exec credential plugins. The default is the ID Token.
enum KubectlHelper {
  private static let group = "client.authentication.k8s.io/"

  static let helper = HelperProtocol { (call) throws(Failure) in
    var version = group + "v1"
    var url = call.url
    if let text = call.variable("KUBERNETES_EXEC_INFO"), !text.isEmpty {
      guard text.utf8.count <= HelperCall.maximumBytes, let information = try? JSON(parsing: Array(text.utf8)),
        let asked = information["apiVersion"]?.string
      else { throw Failure(.invalidRequest, "cannot read KUBERNETES_EXEC_INFO") }
      guard [group + "v1", group + "v1beta1"].contains(asked) else {
        throw Failure(.invalidRequest, "kubectl requests a version of the protocol other than v1 and v1beta1")
      }
      version = asked
      url = url ?? information["spec"]?["cluster"]?["server"]?.string
    }
    let destination = TokenRequest.Destination(url: url, user: call.user, kind: .idToken)
    return .token(destination) { (credential, token, text) throws(Failure) in
      try credential.checkUnused(call.user)
      text.append(utf8: "{\"apiVersion\":\"\(version)\",\"kind\":\"ExecCredential\",\"status\":{\"token\":")
      text.append(jsonStringBytes: token)
      if let expiry = credential.expiresAt {
        text.append(utf8: ",\"expirationTimestamp\":\"\(Timestamp.rfc3339(expiry))\"")
      }
      text.append(utf8: "}}\n")
    }
  }
}
