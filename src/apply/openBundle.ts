import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sha256 } from '../base/sha256.ts'
import { errorCode, systemReason } from '../base/systemErrors.ts'
import { readTrusted, UntrustedFileError } from '../base/trustedFile.ts'
import { bundleNames, bundlePaths } from '../deployment/render/applyScript.ts'
import { type BundleDescription, parseDescription } from '../deployment/render/bundleDescription.ts'
import type { OpenedBundle } from '../deployment/render/bundleTarget.ts'
import { type Unopened, unseal } from '../deployment/render/seal.ts'
import { StepError } from '../deployment/stepError.ts'
import type { FailureCode } from '../diagnostics/failures.ts'
import { Secret } from '../secrets/secret.ts'

/** Reads what a bundle says of itself. Throws a `StepError`. */
export function readDescription(folder: string): BundleDescription {
  const description = parseDescription(readFileSync(join(folder, bundleNames.description), 'utf8'))
  if (description !== undefined) return description
  throw new StepError({
    host: 'this machine',
    code: 'bundle-unknown',
    message: `${join(folder, bundleNames.description)} is not of this version of muster`,
    fix: 'Unpack the archive into an empty folder.',
  })
}

/** Path of a file of the host in the folder of a bundle. */
const below = (folder: string, path: string): string => join(folder, bundleNames.root, path)

/** Reads the Node.js of a bundle. */
export const readNode = (folder: string, description: BundleDescription): Buffer =>
  readFileSync(below(folder, bundlePaths(description).node))

/** Opens a bundle whose plain files were compared with its sums. Throws a `StepError`. */
export async function openBundle(
  folder: string,
  { description, identity }: { readonly description: BundleDescription; readonly identity: string },
): Promise<OpenedBundle> {
  const { name } = description.host
  const refuse = (code: FailureCode, message: string, fix: string): StepError =>
    new StepError({ host: name, code, message, fix })
  const sealed = readFileSync(join(folder, bundleNames.secrets))
  const secrets = await unseal(sealed, readIdentity(identity, name))
  if (typeof secrets === 'string') {
    throw refuse(secrets, ...unopened[secrets](identity, name))
  }
  if (secrets.sums !== sha256(readFileSync(join(folder, bundleNames.sums)))) {
    throw refuse(
      'bundle-changed',
      `${bundleNames.sums} is not the one that ${bundleNames.secrets} was sealed with: files of the bundle were exchanged`,
      'Unpack the archive again, and compare its checksum with the one that was handed over with the key.',
    )
  }
  const plain = new Map(
    description.files.flatMap(({ path, sha256: sum }) =>
      sum === undefined ? [] : [[path, readFileSync(below(folder, path))] as const],
    ),
  )
  const program = readFileSync(below(folder, bundlePaths(description).release))
  return { description, plain, program, secrets }
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
  damaged: () => [
    `${bundleNames.secrets} is damaged`,
    'Unpack the archive again, and compare its checksum with the one that was handed over with the key.',
  ],
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
