internal import COpenSSL

/// A separate instance of libcrypto with its own providers.
@safe struct LibraryContext: ~Copyable {
  let raw: OpaquePointer
  private var providers = unsafe [OpaquePointer]()

  init() throws(CryptoError) {
    guard let context = unsafe OSSL_LIB_CTX_new() else { throw .library("OSSL_LIB_CTX_new") }
    unsafe raw = context
  }

  deinit {
    for index in unsafe providers.indices.reversed() { unsafe OSSL_PROVIDER_unload(providers[index]) }
    unsafe OSSL_LIB_CTX_free(raw)
  }

  /// Sets a provider's file without loading it. Reads no environment variable or other configuration.
  ///
  /// - Parameter module: A path without characters that are special in a configuration.
  mutating func setProviderFile(_ name: String, module: String) throws(CryptoError) {
    OPENSSL_load_builtin_modules()
    let lines =
      ["openssl_conf=agent", "[agent]", "providers=agent_providers", "[agent_providers]", "\(name)=agent_provider"]
      + ["[agent_provider]", "module=\(module)"]
    let text = Array((lines.joined(separator: "\n") + "\n").utf8)
    guard let source = unsafe BIO_new_mem_buf(text, Int32(text.count)) else { throw .library("BIO_new_mem_buf") }
    defer { unsafe BIO_free(source) }
    guard let configuration = unsafe NCONF_new_ex(raw, nil) else { throw .library("NCONF_new_ex") }
    defer { unsafe NCONF_free(configuration) }
    guard unsafe NCONF_load_bio(configuration, source, nil) > 0 else { throw .library("NCONF_load_bio") }
    guard unsafe CONF_modules_load(configuration, nil, 0) > 0 else { throw .library("CONF_modules_load") }
  }

  /// Loads a provider, such as `tpm2`, until the context is freed.
  mutating func loadProvider(_ name: String) throws(CryptoError) {
    guard let provider = unsafe OSSL_PROVIDER_load(raw, name) else { throw .library("OSSL_PROVIDER_load") }
    unsafe providers.append(provider)
  }
}
