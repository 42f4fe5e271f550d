import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { Option } from 'commander'
import { type Define, flag } from '../cli/command.ts'
import type { CommandContext } from '../cli/context.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { Interrupted } from '../cli/interrupted.ts'
import { printDiagnostics } from '../cli/printDiagnostics.ts'
import { fileExists } from '../cli/readConfigFiles.ts'
import { UsageError } from '../cli/usageError.ts'
import { type Destination, destinationGiven, destinationOptions, writeLines } from '../cli/writeLines.ts'
import { hostFrom } from '../config/ini/iniNames.ts'
import { publicLine } from '../config/ini/readIni.ts'
import { loadConfig } from '../config/load.ts'
import type { HostConfig } from '../config/model.ts'
import type { OutlineLine } from '../config/outline.ts'
import { type GivenHost, nameDiscovered } from '../deployment/discovery/discoveredHosts.ts'
import { discoverHost } from '../deployment/discovery/discoverHost.ts'
import { type DiscoverySsh, outlineDiscovery, sshLines } from '../deployment/discovery/outlineDiscovery.ts'
import { onEachHost } from '../deployment/eachHost.ts'
import type { UnreachableHost } from '../deployment/survey.ts'
import { outlineText } from '../output/config/outlineText.ts'
import { checkWrittenFile } from '../session/checkWrittenFile.ts'
import { connectHost, prepareConnections } from '../session/connectHost.ts'
import { exitOfUnreachable, reportUnreachable } from '../session/outcomes.ts'
import { trustHosts } from './trust.ts'

export const discoverCommand: Define = (made, { context, done }) =>
  destinationOptions(
    made
      .argument('<host...>', 'hosts, each as [NAME=][USER@]ADDRESS[:PORT]')
      .option(
        '--user <name>',
        'user to log in as over SSH, with sudo if it is not root (default: as ssh says)',
      )
      .addOption(
        new Option(
          '--ssh-config <file>',
          'file of ssh_config for ports, keys and jump hosts (default: as ssh says)',
        ),
      )
      .option('--ask-become-pass', 'ask for the sudo password of the hosts')
      .addOption(new Option('--connection <way>', 'connect this way').choices(['ssh', 'local']))
      .option('--cluster <name>', 'name of the cluster (default: that of an installation, else alpha)'),
  )
    .note(
      'It reads and changes nothing. The database servers are asked over their sockets, as the login can.',
    )
    .action(async (hosts: readonly string[]) => {
      const given = made.opts<GivenOptions>()
      const askBecomePass = flag(made, 'askBecomePass')
      done(await discover({ context, hosts, ...given, askBecomePass, ...destinationGiven(made) }))
    })

type GivenOptions = {
  readonly user?: string
  readonly sshConfig?: string
  readonly connection?: 'ssh' | 'local'
  readonly cluster?: string
}

/** Parses `[NAME=][USER@]ADDRESS[:PORT]`; whether its parts are valid is for the rules of the file to say. */
function parseHost(text: string): GivenHost {
  const [, name, user, bracketed, plain, port] =
    /^(?:([^=@]*)=)?(?:([^@]*)@)?(?:\[([^\]]*)\]|([^:]*|.*:.*:.*?))(?::(\d{1,5}))?$/.exec(text) ?? []
  const address = bracketed ?? plain
  if (address === undefined || address === '') {
    throw new UsageError(`${text} is no host.`, 'Write it as db1, ops@db1:2222 or db1=10.0.0.11.')
  }
  return {
    address,
    ...(name === undefined ? {} : { name }),
    ...(user === undefined ? {} : { user }),
    ...(port === undefined ? {} : { port: Number(port) }),
  }
}

/** Names a fix without the file that there is none of yet. */
const withoutFile = (one: UnreachableHost): UnreachableHost =>
  one.failure.code === 'host-key-unknown'
    ? {
        ...one,
        failure: {
          ...one.failure,
          fix: 'Run `muster discover` at a terminal: it shows the key, and adds it to known_hosts after you confirm.',
        },
      }
    : one

/** Makes the hosts of the command line what the hosts of a file are. Throws a `UsageError` with its first finding. */
function hostConfigs(
  context: CommandContext,
  given: readonly GivenHost[],
  {
    ssh,
    connection,
    askBecomePass,
  }: {
    readonly ssh: DiscoverySsh
    readonly connection: 'ssh' | 'local' | undefined
    readonly askBecomePass: boolean
  },
): readonly HostConfig[] {
  const names = given.map(({ name, address }) => name ?? hostFrom(address).name)
  const text = outlineText({
    head: [],
    cluster: 'alpha',
    defaults: [],
    ssh: sshLines(ssh),
    services: [
      {
        name: 'alpha',
        lines: [
          { name: 'topology', value: 'replicator' },
          { name: 'members', value: names },
        ],
      },
    ],
    hosts: given.map(({ address, user, port }, index) => ({
      name: names[index] ?? address,
      comments: [],
      lines: [
        { name: 'address', value: address },
        ...(connection === 'local' ? [{ name: 'connection', value: 'local' }] : []),
      ],
      ssh: [
        ...(user === undefined ? [] : [{ name: 'user', value: user }]),
        ...(port === undefined ? [] : [{ name: 'port', value: port }]),
      ] satisfies OutlineLine[],
      options: [],
    })),
    tail: [],
  })
  const files = [{ name: 'the command line', directory: context.cwd, text }]
  const { config, diagnostics } = loadConfig({ files, home: context.env.HOME ?? homedir() })
  const error = diagnostics.find(({ severity }) => severity === 'error')
  if (config === undefined || error !== undefined) {
    throw new UsageError(error?.message ?? 'The hosts cannot be used.', error?.fix ?? 'Check their names.')
  }
  return config.hosts.map((host) =>
    askBecomePass && host.ssh.become
      ? { ...host, ssh: { becomePassword: 'ask' as const, ...host.ssh } }
      : host,
  )
}

/**
 * Reads what runs on hosts, and writes the configuration of a cluster on them. Changes nothing there. Exit codes: 0
 * written, 1 written with errors or a host failed, 3 nothing was written, 4 a host was unreachable.
 */
export async function discover(
  options: Destination &
    GivenOptions & {
      readonly context: CommandContext
      /** Each as [NAME=][USER@]ADDRESS[:PORT]. */
      readonly hosts: readonly string[]
      readonly askBecomePass: boolean
    },
): Promise<ExitCode> {
  const { context, out, force, connection, cluster: wanted, askBecomePass } = options
  const given = options.hosts.map(parseHost)
  if (connection === 'local' && given.length > 1) {
    throw new UsageError('--connection local reads this one machine.', 'Name one host with it.')
  }
  const ssh: DiscoverySsh = {
    become: options.user !== undefined && options.user !== 'root',
    ...(options.user === undefined ? {} : { user: options.user }),
    ...(options.sshConfig === undefined ? {} : { config: options.sshConfig }),
  }
  if (out !== undefined && !force && fileExists(resolve(context.cwd, out))) {
    throw new UsageError(`${out} already exists and was not changed.`, 'To overwrite it, add --force.')
  }
  const hosts = hostConfigs(context, given, { ssh, connection, askBecomePass })
  // What a person is asked and told does not go where the file goes.
  const aside = { ...context, stdout: context.stderr }
  if (context.stdin.isTTY === true) {
    await trustHosts({
      context: aside,
      config: { cluster: 'alpha', hosts },
      yes: false,
      pin: false,
      json: false,
    })
  }
  await prepareConnections(context, hosts)
  const results = await onEachHost({
    hosts,
    forks: context.forks,
    connect: (host) => connectHost(context, host),
    work: (transport) => discoverHost(transport),
  })
  if (context.signal.aborted) throw new Interrupted()
  const failed = results.filter((one) => 'failure' in one).map(withoutFile)
  reportUnreachable(context, failed)
  const read = results.flatMap((one, index) => {
    const host = given[index]
    return 'result' in one && host !== undefined ? [{ given: host, discovery: one.result }] : []
  })
  if (read.length === 0) return exitOfUnreachable(failed)
  const { cluster, hosts: named } = nameDiscovered(read, wanted)
  const outline = outlineDiscovery({
    cluster,
    hosts: named,
    failed: failed.map(({ host, failure }) => ({ address: host.address, reason: failure.message })),
    ssh,
    ...(connection === undefined ? {} : { connection }),
  })
  if (outline === undefined) {
    throw new UsageError(
      'Neither a database server nor an installation of muster was found on the hosts.',
      'Name the hosts of the databases, or write a file with: muster init',
    )
  }
  const text = outlineText(outline)
  const lines = text.trimEnd().split('\n').map(publicLine)
  if (!(await writeLines(context, lines, { out, force }))) return exitCodes.usage
  const checked = checkWrittenFile(context, text, out)
  printDiagnostics(checked, { context, output: context.stderr })
  const hasErrors = checked.diagnostics.some(({ severity }) => severity === 'error')
  if (out !== undefined) {
    const next = hasErrors ? 'correct it, then check it with' : 'read its comments, then check it with'
    context.stdout.write(`Wrote ${out}, readable only by you. Next, ${next}: muster validate ${out}\n`)
  }
  return hasErrors ? exitCodes.failed : exitOfUnreachable(failed)
}
