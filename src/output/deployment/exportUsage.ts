/** Passwords of truststores that nobody chose: Java's own. */
export const defaultTruststorePassword = 'changeit'

/** What was exported; `file` is what `--out` said. */
export type ExportedFile = {
  /** As a shell takes it. */
  readonly file: string
  /** `each`: several files with an authority each. */
  readonly what: 'authority' | 'authorities' | 'each' | 'chain' | 'key'
  readonly format: 'pem' | 'p12' | 'jks'
  /** Where an API is called, such as `10.0.0.11:8090`; undefined where none is open. */
  readonly api: string | undefined
  /** Whether the password is the usual one, which may be shown. */
  readonly usual: boolean
}

/** How what was exported is used, as commands to copy. */
export function exportUsage(exported: ExportedFile): string {
  const { file, what, format, api = 'HOST:PORT', usual } = exported
  const url = `https://${api}/api/v2/ping`
  if (what === 'each') return '  browsers: import each under authorities, to identify websites\n'
  const authorities = what === 'authority' || what === 'authorities'
  if (authorities && format === 'pem') {
    return `  curl:     curl --cacert ${file} ${url}
  Node.js:  NODE_EXTRA_CA_CERTS=${file} node …
  browsers: ${what === 'authority' ? 'import it under authorities, to identify websites' : `take one authority from a file: muster cert export --each --out ${file}`}
`
  }
  if (authorities) {
    const type = format === 'p12' ? 'PKCS12' : 'JKS'
    const password = usual ? defaultTruststorePassword : '…'
    return `  Java:     java -Djavax.net.ssl.trustStore=${file} -Djavax.net.ssl.trustStoreType=${type} -Djavax.net.ssl.trustStorePassword=${password} …
`
  }
  if (format === 'p12') return `  look:     keytool -list -v -storetype PKCS12 -keystore ${file}\n`
  return `  look:     openssl x509 -noout -text -in ${file}\n`
}
