import { execFile } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createKeystore } from '../../../src/certificates/hostStores.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { quickJava } from '../../certificates/tools.ts'

/** What opens every store that is not locked with another password on purpose. */
export const storePassword = 'changeit'

const opensslConfiguration = `[ca]
default_ca = authority
[authority]
database = index.txt
new_certs_dir = .
rand_serial = yes
unique_subject = no
default_md = sha256
policy = policy
copy_extensions = copy
[policy]
commonName = supplied
[req]
distinguished_name = name
[name]
`

type Tool = (program: string, words: string) => Promise<void>

/** A certificate with fixed dates: a request for a key, signed by an authority or, without one, by itself. */
async function sign(
  tool: Tool,
  wanted: {
    readonly name: string
    readonly key: string
    readonly extension: string
    readonly from: string
    readonly to: string
    readonly authority?: string
  },
): Promise<void> {
  const { name, key, extension, from, to, authority } = wanted
  await tool(
    'openssl',
    `req -config ca.cnf -new -key ${key} -subj /CN=${name} -addext ${extension} -out ${name}.csr`,
  )
  const by =
    authority === undefined ? `-selfsign -keyfile ${key}` : `-cert ${authority}.crt -keyfile ${authority}.key`
  await tool(
    'openssl',
    `ca -config ca.cnf -batch -notext ${by} -startdate ${from}000000Z -enddate ${to}000000Z -in ${name}.csr -out ${name}.crt`,
  )
}

/** Makes stores in a folder with openssl and keytool, from an authority with fixed dates. */
export async function storeMaker(folder: string) {
  const path = (name: string): string => join(folder, name)
  const tool: Tool = async (program, words) => {
    const options = program === 'keytool' ? quickJava : []
    await promisify(execFile)(program, [...options, ...words.split(' ')], { cwd: folder })
  }
  writeFileSync(path('ca.cnf'), opensslConfiguration)
  writeFileSync(path('index.txt'), '')
  for (const name of ['ca', 'stranger', 'leaf']) {
    await tool('openssl', `genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out ${name}.key`)
  }
  for (const name of ['ca', 'stranger']) {
    const extension = 'basicConstraints=critical,CA:TRUE'
    await sign(tool, { name, key: `${name}.key`, extension, from: '20250101', to: '20350101' })
  }

  return {
    /** A keystore by openssl; `names` such as `DNS:db1,IP:10.0.0.11`, dates such as `20260131`. */
    keystore: async (
      name: string,
      given: {
        readonly names?: string
        readonly from?: string
        readonly to?: string
        readonly alias?: string
      } = {},
    ): Promise<void> => {
      const { names = 'DNS:*.example.org', from = '20250601', to = '20270101', alias = 'tls' } = given
      const extension = `subjectAltName=${names}`
      await sign(tool, { name, key: 'leaf.key', extension, from, to, authority: 'ca' })
      const chain = [`${name}.crt`, 'ca.crt'].map((file) => readFileSync(path(file)))
      writeFileSync(path(`${name}.pem`), Buffer.concat(chain))
      await tool(
        'openssl',
        `pkcs12 -export -name ${alias} -inkey leaf.key -in ${name}.pem -passout pass:${storePassword} -out ${name}.p12`,
      )
    },

    /** A keystore by openssl with a key and nothing else. */
    keyAlone: (name: string): Promise<void> =>
      tool(
        'openssl',
        `pkcs12 -export -nocerts -name tls -inkey leaf.key -in leaf.key -passout pass:${storePassword} -out ${name}.p12`,
      ),

    /** A keystore by keytool whose key belongs to another certificate; only a draft of ours can start it. */
    mismatch: async (name: string, chainOf: string): Promise<void> => {
      const leaf = {
        key: new Secret(readFileSync(path('stranger.key'), 'utf8')),
        chain: readFileSync(path(`${chainOf}.pem`), 'utf8'),
      }
      const password = new Secret(storePassword)
      writeFileSync(path('draft.p12'), createKeystore({ leaf, alias: 'tls', password }))
      await tool(
        'keytool',
        `-importkeystore -noprompt -srckeystore draft.p12 -srcstorepass ${storePassword} -destkeystore ${name}.p12 -deststoretype PKCS12 -deststorepass ${storePassword}`,
      )
    },

    /** A truststore by keytool with one authority. */
    truststore: (name: string, authority: 'ca' | 'stranger'): Promise<void> =>
      tool(
        'keytool',
        `-importcert -noprompt -alias authority -file ${authority}.crt -keystore ${name}.p12 -storetype PKCS12 -storepass ${storePassword}`,
      ),

    /** A store of an old type by keytool, with a key pair. */
    old: (
      name: string,
      given: { readonly type: 'JKS' | 'JCEKS'; readonly keyPassword: string },
    ): Promise<void> =>
      tool(
        'keytool',
        `-genkeypair -alias tls -keyalg EC -dname CN=db1 -keypass ${given.keyPassword} -keystore ${name}.p12 -storetype ${given.type} -storepass ${storePassword}`,
      ),

    copy: (from: string, to: string): void => copyFileSync(path(`${from}.p12`), path(`${to}.p12`)),
  }
}
