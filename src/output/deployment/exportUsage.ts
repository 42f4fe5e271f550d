import { commonRoutes } from '../../contracts/commonRoutes.ts'

/** Java's default password of truststores. */
export const defaultTruststorePassword = 'changeit'

/** An exported file; `file` is the argument of `--out`. */
export type ExportedFile = {
  /** Quoted for a shell. */
  readonly file: string
  /** `each`: several files with one authority each. */
  readonly what: 'authority' | 'authorities' | 'each' | 'chain' | 'key'
  readonly format: 'pem' | 'p12' | 'jks'
  /** Address for API calls, such as `10.0.0.11:8090`; undefined if no API is enabled. */
  readonly api: string | undefined
  /** The password is the default one, which may be printed. */
  readonly hasDefaultPassword: boolean
}

/** Explains how to use an export, with commands to copy. */
export function exportUsage(exported: ExportedFile): string {
  const { file, what, format, api = 'HOST:PORT', hasDefaultPassword } = exported
  const url = `https://${api}${commonRoutes.ping.path}`
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
    const password = hasDefaultPassword ? defaultTruststorePassword : '…'
    return `  Java:     java -Djavax.net.ssl.trustStore=${file} -Djavax.net.ssl.trustStoreType=${type} -Djavax.net.ssl.trustStorePassword=${password} …
`
  }
  if (format === 'p12') return `  look:     keytool -list -v -storetype PKCS12 -keystore ${file}\n`
  return `  look:     openssl x509 -noout -text -in ${file}\n`
}
