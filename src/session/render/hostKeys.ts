import { join, resolve } from 'node:path'
import { systemErrorText } from '../../base/systemErrors.ts'
import { readTrusted, UntrustedFileError } from '../../base/trustedFile.ts'
import type { CommandContext } from '../../cli/context.ts'
import { readInputFile } from '../../cli/readInputFile.ts'
import { UsageError } from '../../cli/usageError.ts'
import { existingPaths } from '../../cli/writeNewFiles.ts'
import { createIdentity, isRecipient, recipientOf } from '../../deployment/render/seal.ts'
import { folderOf } from '../../deployment/state/stateFiles.ts'
import { Secret } from '../../secrets/secret.ts'

/** Key for which the secrets of a host are sealed. */
export type HostKey = {
  readonly recipient: string
  /** Text of a key file to write; absent if the operator or an earlier run has it. */
  readonly created?: Secret
}

/** Folder of the key files, which never travels with the bundles. */
export const keysFolder = 'keys'

/**
 * Returns the key of each host: from the operator's file of recipients, otherwise the one that an earlier run wrote to
 * `keys`, otherwise a new one. Throws a `UsageError`.
 */
export async function hostKeys(
  hosts: readonly string[],
  options: {
    readonly context: CommandContext
    readonly folder: string
    readonly recipients: string | undefined
  },
): Promise<ReadonlyMap<string, HostKey>> {
  const { context, folder, recipients } = options
  if (recipients !== undefined) {
    const path = resolve(context.cwd, recipients)
    const { text } = await readInputFile({ path, what: 'The recipients of the hosts', pipe: context.signal })
    const given = parseRecipients(text, recipients)
    return new Map(hosts.map((host) => [host, { recipient: requireRecipient(given, host, recipients) }]))
  }
  const keys = new Map<string, HostKey>()
  for (const host of hosts) keys.set(host, await keyOf(join(folder, keysFolder, keyFile(host))))
  return keys
}

export const keyFile = (host: string): string => `${folderOf(host)}.key`

async function keyOf(path: string): Promise<HostKey> {
  if ((await existingPaths([path])).length === 0) {
    const { identity, recipient } = await createIdentity()
    return { recipient, created: new Secret(`# public key: ${recipient}\n${identity.reveal()}\n`) }
  }
  const recipient = await recipientOf(readKey(path))
  if (recipient !== undefined) return { recipient }
  throw new UsageError(
    `${path} has no age identity (a line AGE-SECRET-KEY-1…).`,
    'Remove it to have a new one made.',
  )
}

const maxKeyBytes = 64 * 1024

/**
 * Reads the key of an earlier run. One that others can read, or that somebody else put there, would open the secrets
 * for them. Throws a `UsageError`.
 */
function readKey(path: string): Secret {
  const refuse = (why: string): UsageError =>
    new UsageError(
      `${path} cannot be used as the key of a host: ${why}.`,
      `If you made it, run: chmod 600 ${path}. Otherwise remove it to have a new one made.`,
    )
  try {
    const { text, stats } = readTrusted(path, maxKeyBytes)
    if (stats.uid !== process.geteuid?.()) throw refuse('it belongs to another user')
    if ((stats.mode & 0o077) !== 0) throw refuse('other users can read or change it')
    return new Secret(text)
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw refuse(error instanceof UntrustedFileError ? error.message : systemErrorText(error))
  }
}

/** Parses lines `HOST: age1…`; empty lines and comments are skipped. */
function parseRecipients(text: string, file: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const [index, line] of text.split('\n').entries()) {
    const words = line.replace(/(?:^|\s)#.*$/, '').trim()
    if (words === '' || words === '---') continue
    const [, host, recipient] =
      /^(["']?)([^"':\s]+)\1\s*:\s*(["']?)(\S+?)\3$/.exec(words)?.filter((_, at) => at % 2 === 0) ?? []
    if (host === undefined || recipient === undefined || !isRecipient(recipient)) {
      throw new UsageError(
        `line ${index + 1} of ${file} is no host with an age recipient.`,
        'Write one line for each host, such as `db1: age1…`; age-keygen prints the recipient of a key.',
      )
    }
    if (found.has(host)) {
      throw new UsageError(
        `line ${index + 1} of ${file} has a second recipient for ${host}.`,
        'Keep the line of the key that the host has.',
      )
    }
    found.set(host, recipient)
  }
  return found
}

function requireRecipient(given: ReadonlyMap<string, string>, host: string, file: string): string {
  const recipient = given.get(host)
  if (recipient !== undefined) return recipient
  throw new UsageError(`${file} has no recipient for ${host}.`, `Add a line such as \`${host}: age1…\`.`)
}
