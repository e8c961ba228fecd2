internal import Encoding
internal import Wire

extension SetupClient {
  static let kubectl = SetupClient(
    name: "kubectl", choices: [.account, .name],
    minimumVersion: ClientVersion(
      arguments: ["version", "--client"], outputPrefix: "v", major: 1, minor: 22,
      consequence: { Phrase("it does not know version 1 of the protocol") }),
    printedSettingsFiles: { (files) throws(Failure) in
      let home = try files.home()
      let paths =
        files.nonEmptyValue("KUBECONFIG")?.split(separator: ":").map { String($0) } ?? ["\(home)/.kube/config"]
      return try paths.map { (path) throws(Failure) in try SetupFile(path) }
    },
    plan: { (context) throws(Failure) in
      let name = try context.entryName(else: context.account)
      let words = context.helperArguments(.kubectl).map { "\"\($0)\"" }.joined(separator: ", ")
      let command = "command: \"\(context.program)\""
      return SetupPlan(
        text: [
          "users:",
          "- name: \(name)",
          "  user:",
          "    exec:",
          "      apiVersion: client.authentication.k8s.io/v1",
          "      \(command)",
          "      args: [\(words)]",
          "      interactiveMode: Never",
          "      provideClusterInfo: true",
        ], keys: [command, "command: \(context.program)"])
    },
    trial: { (context) throws(Failure) in
      let asked: JSON = [
        "apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
        "spec": ["cluster": ["server": .string(context.url)], "interactive": false],
      ]
      return try SetupTrial(
        context.program, context.helperArguments(.kubectl),
        changes: ["KUBERNETES_EXEC_INFO": String(decoding: asked.serialized(), as: UTF8.self)])
    })
}
