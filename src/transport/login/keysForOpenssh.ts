import type { Destination } from '../destination.ts'
import { readKeyFile } from './keyFile.ts'
import { type LoginKeyDependencies, unsupportedKind } from './loginKeys.ts'

/**
 * Lists the keys of a login that only the program ssh can use: certificates, which ssh would offer before plain keys,
 * and keys of security tokens where one is named or there is no other.
 */
export async function keysForOpenssh(
  { keys }: Pick<Destination, 'keys'>,
  {
    once,
    readFile,
    parseKey,
    agentContents,
  }: Pick<LoginKeyDependencies, 'once' | 'readFile' | 'parseKey' | 'agentContents'>,
): Promise<readonly string[]> {
  const named = [...new Set([...keys.first, ...keys.files])]
  const read = await Promise.all(
    named.map((path) => once(`key ${path}`, () => readKeyFile(path, { readFile, parseKey }))),
  )
  const exists = (path: string): Promise<boolean> =>
    once(`text of ${path}`, () => readFile(path).catch(() => undefined)).then((text) => text !== undefined)
  const found = read.filter(({ kind }) => kind !== 'missing')
  const certificates: string[] = []
  for (const { path } of found) {
    const certificate = `${path.replace(/\.pub$/, '')}-cert.pub`
    if (await exists(certificate)) certificates.push(`the certificate ${certificate}`)
  }
  const { socket } = keys
  const held =
    socket === undefined || socket === '' || keys.agent === 'listed'
      ? []
      : await once(`contents of ${socket}`, () => agentContents(socket)).catch(() => [])
  const heldKinds = held.map(({ type, comment }) => ({ kind: unsupportedKind(type), name: comment || type }))
  certificates.push(
    ...heldKinds.flatMap(({ kind, name }) =>
      kind === 'certificate' ? [`the certificate ${name} of the agent`] : [],
    ),
  )
  if (certificates.length > 0) return certificates
  const isToken = (one: (typeof read)[number]): boolean =>
    one.kind === 'unusable' && /security token/.test(one.why)
  const plain =
    found.some((one) => one.kind !== 'unusable') || heldKinds.some(({ kind }) => kind === undefined)
  const required = read.filter((one) => isToken(one) && keys.first.includes(one.path))
  if (required.length > 0) return required.map(({ path }) => `the key ${path} of a security token`)
  if (plain) return []
  const tokens = found.filter(isToken).map(({ path }) => path)
  for (const path of named.filter((one) => /\/id_(ed25519|ecdsa)$/.test(one)))
    if (await exists(`${path}_sk`)) tokens.push(`${path}_sk`)
  return [
    ...tokens.map((path) => `the key ${path} of a security token`),
    ...heldKinds.flatMap(({ kind, name }) =>
      kind === 'token' ? [`the key ${name} of a security token`] : [],
    ),
  ]
}
