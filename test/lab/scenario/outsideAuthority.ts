import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { succeed } from '../support/execute.ts'

/** An authority that muster knows nothing of, with an intermediate that signs for it, both made by OpenSSL. */
export type OutsideAuthority = {
  /** PEM file of the authority alone, as clients trust it. */
  readonly root: string
  readonly intermediate: string
  /** Signs a request as it is, for so many days; returns the leaf's own PEM file. */
  readonly sign: (request: string, days: number) => Promise<string>
  /** The leaf, then all that signed it: a new PEM file. */
  readonly chain: (leaf: string) => string
}

/** Makes one in a new folder; its subjects begin with `O=Corp`. */
export async function makeOutsideAuthority(folder: string): Promise<OutsideAuthority> {
  mkdirSync(folder)
  const file = (name: string): string => join(folder, name)
  const openssl = (...argv: readonly string[]): Promise<string> => succeed('openssl', argv)
  const authority = ['-addext', 'keyUsage=critical,keyCertSign,cRLSign']
  await openssl(
    ...[
      'req',
      '-x509',
      '-newkey',
      'rsa:3072',
      '-nodes',
      '-keyout',
      file('root.key'),
      '-out',
      file('root.crt'),
    ],
    ...['-subj', '/O=Corp/CN=Corp Root', '-days', '3650', ...authority],
  )
  await openssl(
    ...[
      'req',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-384',
      '-nodes',
      '-keyout',
      file('issuing.key'),
    ],
    ...['-out', file('issuing.csr'), '-subj', '/O=Corp/CN=Corp Issuing', ...authority],
    ...['-addext', 'basicConstraints=critical,CA:TRUE,pathlen:0'],
  )
  const signed = (by: string, request: string, days: number, out: string): Promise<string> =>
    openssl(
      ...['x509', '-req', '-in', request, '-CA', file(`${by}.crt`), '-CAkey', file(`${by}.key`)],
      ...['-CAcreateserial', '-days', String(days), '-copy_extensions', 'copy', '-out', out],
    )
  await signed('root', file('issuing.csr'), 1825, file('issuing.crt'))
  let count = 0
  return {
    root: file('root.crt'),
    intermediate: file('issuing.crt'),
    sign: async (request, days) => {
      count += 1
      const leaf = file(`leaf${count}.crt`)
      await signed('issuing', request, days, leaf)
      return leaf
    },
    chain: (leaf) => {
      const path = leaf.replace(/\.crt$/, '.chain.pem')
      const parts = [leaf, file('issuing.crt'), file('root.crt')]
      writeFileSync(path, parts.map((part) => readFileSync(part, 'utf8')).join(''))
      return path
    },
  }
}
