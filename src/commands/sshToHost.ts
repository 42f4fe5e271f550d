import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { shortListOf } from '../base/words.ts'
import { type Define, takeWords } from '../cli/command.ts'
import type { CommandContext } from '../cli/context.ts'
import { fileExists, looksLikeHost } from '../cli/readConfigFiles.ts'
import { UsageError } from '../cli/usageError.ts'
import { type HostConfig, isReachedLocally } from '../config/model.ts'
import { nearest } from '../diagnostics/nearest.ts'
import { ProcessError } from '../processes/processError.ts'
import { runInForeground } from '../processes/run.ts'
import { fileArguments, runOnFiles } from '../session/clusterOptions.ts'
import { type HostKeyReader, hostKeyReader, usualSshConfig } from '../session/connectHost.ts'
import { type ClusterOptions, openCluster } from '../session/openCluster.ts'
import { namesOf } from '../session/selectTargets.ts'
import type { Destination, Route } from '../transport/destination.ts'
import { hostKeyPolicy, knownHostsLookup } from '../transport/hostKeys/hostKeyPolicy.ts'
import { knownName } from '../transport/hostKeys/knownHosts.ts'
import { knownHostsLines } from '../transport/hostKeys/knownHostsLines.ts'
import { opensshCommand, type TrustedKeys } from '../transport/openssh/opensshArguments.ts'
import { trustedLines } from '../transport/openssh/trustedLines.ts'
import { type KnownHostKey, sshCommand } from '../transport/sshArguments.ts'

export const sshLoginCommand: Define = (made, world) => {
  fileArguments(made.argument('<host>', 'a host of the file')).usage(
    '[options] <host> [file...] [-- <command> [argument...]]',
  )
  const words = takeWords(made)
  return runOnFiles(made, world, (options) => {
    const [host = '', ...files] = options.files
    return ssh({ ...options, host, files, words: words() })
  })
}

/**
 * Starts the system's ssh with the connection of a host, and returns its exit code. It accepts the host keys that muster
 * accepts, and may ask for a passphrase, or for a password where no key is accepted.
 */
export async function ssh(
  options: ClusterOptions & { readonly host: string; readonly words: readonly string[] },
): Promise<number> {
  const { context, host: name, words } = options
  const { cwd } = context
  if (!looksLikeHost(name) && fileExists(resolve(cwd, name))) {
    throw new UsageError(
      `${name} is a file, not a host.`,
      `Give the name of a host before it: muster ssh HOST ${name}`,
    )
  }
  const { config } = await openCluster(options)
  const names = namesOf(config.hosts)
  const host = config.hosts.find((one) => one.name === name)
  if (host === undefined) throw unknownHost(name, { cluster: config.cluster, names })
  if (isReachedLocally(host)) {
    throw new UsageError(`${name} is this machine (connection: local).`, 'You are there already.')
  }
  const reader = hostKeyReader(context)
  const route = await reader.routeOf(host)
  const folder = await mkdtemp(join(tmpdir(), 'muster-ssh-'))
  try {
    if ((await reader.reasonsForOpenssh(route)).length > 0) {
      const trusted = new Map<Destination, TrustedKeys>()
      for (const to of [...route.jumps, route.target])
        trusted.set(to, await trustedKeys(to, { route, reader, folder }))
      const usual = usualSshConfig(context)
      const trustedOf = (to: Destination) => trusted.get(to) ?? { file: '/dev/null' }
      const command = opensshCommand({
        route,
        trustedOf,
        usual: usual === undefined ? {} : { file: usual },
        words,
      })
      return await start(context, host, command)
    }
    const keys = new Map<Destination, KnownHostKey>()
    for (const to of [...route.jumps, route.target]) {
      keys.set(
        to,
        to.check.pinned === undefined
          ? await knownKey(to, reader)
          : await pinnedKey(route, { reader, folder }),
      )
    }
    const command = sshCommand({
      host: name,
      route,
      keyOf: (to) => keys.get(to) ?? { files: [], alias: to.address },
      config: host.ssh.config ?? usualSshConfig(context),
      words,
    })
    return await start(context, host, command)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function unknownHost(
  name: string,
  { cluster, names }: { readonly cluster: string; readonly names: readonly string[] },
): UsageError {
  const suggestion = nearest(name, names)
  const asked = suggestion === undefined ? '' : `Did you mean ${suggestion}? `
  return new UsageError(`${cluster} has no host ${name}.`, `${asked}The file has ${shortListOf(names, 8)}.`)
}

/** Runs ssh; its ProxyCommand, which may be ours, is for sh. */
async function start(
  context: CommandContext,
  { name }: HostConfig,
  command: readonly ['ssh', ...string[]],
): Promise<number> {
  try {
    return await runInForeground({ command, env: context.env, extraEnv: { SHELL: '/bin/sh' } })
  } catch (error) {
    if (!(error instanceof ProcessError)) throw error
    throw new UsageError(
      `${error.message}, so there is no way to log in to ${name}.`,
      'Install the OpenSSH client.',
    )
  }
}

/** Finds the name of a server in its known_hosts files. Throws a `UsageError` for one that is not known. */
async function knownKey(to: Destination, reader: HostKeyReader): Promise<KnownHostKey> {
  const { files } = to.check
  const alias = knownName(await reader.entriesOf(files), knownHostsLookup(to))
  if (alias !== undefined) return { files, alias }
  throw new UsageError(
    `the host key of ${to.label} is unknown: ${files.join(' and ')} ${files.length === 1 ? 'has' : 'have'} no key for it.`,
    'Run `muster trust`, which shows the key and adds it after you confirm.',
  )
}

/** Writes the known keys of a server to a file under the name that ssh looks up. */
async function trustedKeys(
  to: Destination,
  way: { readonly route: Route; readonly reader: HostKeyReader; readonly folder: string },
): Promise<TrustedKeys> {
  const { route, reader, folder } = way
  if (to.check.pinned !== undefined) {
    const { files, alias } = await pinnedKey(route, { reader, folder })
    return { file: files[0] ?? '', alias }
  }
  const { lines, ...alias } = trustedLines(to, await reader.entriesOf(to.check.files))
  const file = join(folder, `known_hosts-${to.jump ? route.jumps.indexOf(to) : 'host'}`)
  await writeFile(file, lines.map((line) => `${line}\n`).join(''), { mode: 0o600 })
  return { file, ...alias }
}

/**
 * Writes the key with the fingerprint of `host-key` to a file: ssh knows no fingerprints. Rejects with a
 * `TransportError` if the host does not show this key.
 */
async function pinnedKey(
  { jumps, target }: Route,
  { reader, folder }: { readonly reader: HostKeyReader; readonly folder: string },
): Promise<KnownHostKey> {
  const shown = await reader.hostKeysOf(target, jumps)
  const policy = hostKeyPolicy(target, [])
  const key = shown.find((one) => policy.check(one) === undefined)
  const problem = shown[0] && policy.check(shown[0])
  if (key === undefined)
    throw problem ?? new UsageError(`${target.label} shows no host key.`, 'Check sshd there.')
  const known = { ...target, port: 22, check: { ...target.check, names: [target.label] } }
  const { alias: _, ...check } = known.check
  const lines = knownHostsLines({ ...known, check }, { keys: [key], hashed: false, random: Buffer.alloc })
  const file = join(folder, 'known_hosts')
  await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o600 })
  return { files: [file], alias: target.label.toLowerCase() }
}
