import { join } from 'node:path'
import { codeOf } from './dial.ts'
import { type KnownHost, parseKnownHosts } from './knownHosts.ts'
import type { ReadFile, SshEnvironment, SshTarget } from './sshTarget.ts'

/** The known_hosts files that count for a host, and what they hold. A file that is not there holds nothing. */
export async function readKnownHosts(options: {
  readonly ssh: SshTarget
  readonly env: SshEnvironment
  readonly readFile: ReadFile
}): Promise<{ readonly files: readonly string[]; readonly entries: readonly KnownHost[] }> {
  const { ssh, env, readFile } = options
  const usual = [join(env.home, '.ssh', 'known_hosts'), '/etc/ssh/ssh_known_hosts']
  const files = ssh.knownHosts === undefined ? usual : [ssh.knownHosts]
  const entries = await Promise.all(
    files.map(async (file) => parseKnownHosts(await textOf(readFile, file), file)),
  )
  return { files, entries: entries.flat() }
}

async function textOf(readFile: ReadFile, file: string): Promise<string> {
  try {
    return (await readFile(file)).toString('utf8')
  } catch (error) {
    // Without the file no host is known, which is told with its name; any other error is no different.
    if (codeOf(error) !== undefined) return ''
    throw error
  }
}
