import { readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { sha256 } from '../base/sha256.ts'
import { errorCode, systemReason } from '../base/systemErrors.ts'
import { readTrusted, UntrustedFileError } from '../base/trustedFile.ts'
import { bundleNames, bundlePaths } from '../deployment/render/applyScript.ts'
import { type BundleDescription, parseDescription } from '../deployment/render/bundleDescription.ts'
import type { OpenedBundle } from '../deployment/render/bundleTarget.ts'
import { type Unopened, unseal } from '../deployment/render/seal.ts'
import { StepError } from '../deployment/stepError.ts'
import { Secret } from '../secrets/secret.ts'

/** Digests of the files of a bundle, which were read once. */
export type BundleSums = {
  /** SHA-256 of those that the secrets name. */
  readonly sealed: string
  readonly digests: ReadonlyMap<string, string>
}

const compareArchive =
  'Unpack the archive again, and compare its checksum with the one that was handed over with the key.'

const changed = (message: string): StepError =>
  new StepError({ host: 'this machine', code: 'bundle-changed', message, fix: compareArchive })

/** Reads the digests of a bundle. Throws a `StepError` if `vouched` is the SHA-256 of others. */
export function readSums(folder: string, vouched?: string): BundleSums {
  const text = readFileSync(join(folder, bundleNames.sums), 'utf8')
  if (vouched !== undefined && vouched !== sha256(text)) {
    throw changed(`${bundleNames.sums} is not the one that --sums names: files of the bundle were exchanged`)
  }
  const lines = text.split('\n').flatMap((line) => {
    const [, sum, path] = /^([0-9a-f]{64}) {2}(.+)$/.exec(line) ?? []
    return sum === undefined || path === undefined ? [] : [{ line, sum, path }]
  })
  const plain = lines.filter(({ path }) => path !== bundleNames.secrets)
  return {
    sealed: sha256(plain.map(({ line }) => `${line}\n`).join('')),
    digests: new Map(lines.map(({ path, sum }) => [path, sum])),
  }
}

/** Reads a file of a bundle. Throws a `StepError` unless what was read has its digest. */
function readDigested(folder: string, path: string, { digests }: BundleSums): Buffer {
  const content = readFileSync(join(folder, path))
  if (digests.get(path) === sha256(content)) return content
  throw changed(`${path} is not the file that ${bundleNames.sums} has the checksum of`)
}

/** Reads what a bundle says of itself. Throws a `StepError`. */
export function readDescription(folder: string, sums: BundleSums): BundleDescription {
  const description = parseDescription(readDigested(folder, bundleNames.description, sums).toString())
  if (description !== undefined) return description
  throw new StepError({
    host: 'this machine',
    code: 'bundle-unknown',
    message: `${join(folder, bundleNames.description)} is not of this version of muster`,
    fix: 'Unpack the archive into an empty folder.',
  })
}

/** Path of a file of the host in a bundle. */
const below = (path: string): string => `${bundleNames.root}${path}`

/** Reads the Node.js of a bundle. Throws a `StepError`. */
export const readNode = (folder: string, description: BundleDescription, sums: BundleSums): Buffer =>
  readDigested(folder, below(bundlePaths(description).node), sums)

/** Opens a bundle. Throws a `StepError`. */
export async function openBundle(
  folder: string,
  {
    description,
    sums,
    identity,
  }: { readonly description: BundleDescription; readonly sums: BundleSums; readonly identity: string },
): Promise<OpenedBundle> {
  const { name } = description.host
  const sealed = readDigested(folder, bundleNames.secrets, sums)
  const secrets = await unseal(sealed, readIdentity(identity, name))
  if (typeof secrets === 'string') {
    const [message, fix] = unopened[secrets](identity, name)
    throw new StepError({ host: name, code: secrets, message, fix })
  }
  if (secrets.sums !== sums.sealed) {
    throw changed(
      `${bundleNames.sums} is not the one that ${bundleNames.secrets} was sealed with: files of the bundle were exchanged`,
    )
  }
  const plain = new Map(
    description.files.flatMap(({ path, sha256: sum }) =>
      sum === undefined ? [] : [[path, readDigested(folder, below(path), sums)] as const],
    ),
  )
  const program = readDigested(folder, below(bundlePaths(description).release), sums)
  return { description, plain, program, secrets }
}

/** Removes the copies that `apply` started: both files are in memory. */
export function removeCopies(script: string): void {
  const folder = dirname(script)
  if (basename(folder).startsWith(bundleNames.copies)) rmSync(folder, { recursive: true, force: true })
}

const unopened: Readonly<Record<Unopened, (file: string, host: string) => [string, string]>> = {
  'no-identity': (file) => [
    `${file} has no age identity (a line AGE-SECRET-KEY-1…)`,
    'Pass the .key file that was written beside the bundle.',
  ],
  'other-identity': (file, host) => [
    `${file} is not the key of this bundle, which was sealed for ${host}`,
    `Apply on each host the bundle of that host, with the key that was handed over for it.`,
  ],
  damaged: () => [`${bundleNames.secrets} is damaged`, compareArchive],
}

const maxIdentityBytes = 64 * 1024

/** Reads the identity file, which only root may be able to read. Throws a `StepError`. */
function readIdentity(path: string, host: string): Secret {
  const refuse = (message: string, fix: string): StepError =>
    new StepError({ host, code: 'identity-unfit', message: `${path} ${message}`, fix })
  try {
    const { text, stats } = readTrusted(path, maxIdentityBytes)
    if (stats.uid !== 0 || (stats.mode & 0o077) !== 0) {
      throw refuse(
        'could be read or changed by users other than root',
        `Run: chown root:root ${path} && chmod 600 ${path}`,
      )
    }
    return new Secret(text)
  } catch (error) {
    if (error instanceof StepError) throw error
    const why =
      error instanceof UntrustedFileError
        ? error.message
        : (systemReason(errorCode(error) ?? '') ?? String(errorCode(error)))
    throw refuse(
      `cannot be used as the key of the bundle: ${why}`,
      'Put the .key file of this host into a folder of root (install -o root -g root -m 600), and name it with --identity.',
    )
  }
}
