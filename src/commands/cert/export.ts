import { join, parse, resolve } from 'node:path'
import { Option } from 'commander'
import { printable } from '../../base/printable.ts'
import { quote } from '../../base/shellWords.ts'
import { capitalized, listOf } from '../../base/words.ts'
import { leafFacts } from '../../certificates/certificateFacts.ts'
import { type Define, flag } from '../../cli/command.ts'
import type { CommandContext } from '../../cli/context.ts'
import { type ExitCode, exitCodes } from '../../cli/exitCodes.ts'
import { readPassword } from '../../cli/readPassword.ts'
import { UsageError } from '../../cli/usageError.ts'
import { existingPaths, notWritten, writeNewFiles } from '../../cli/writeNewFiles.ts'
import type { ClusterConfig, HostConfig } from '../../config/model.ts'
import { apiAddress } from '../../deployment/callHost.ts'
import {
  type ExportFormat,
  exportAuthorities,
  exportFormats,
  exportHostCertificate,
} from '../../deployment/certificates/exportStores.ts'
import { isGenerated } from '../../deployment/desired/generatedStores.ts'
import { type ClusterState, trustedAuthorities } from '../../deployment/state/clusterState.ts'
import { readState } from '../../deployment/state/openState.ts'
import { stateFolder } from '../../deployment/state/statePlace.ts'
import {
  defaultTruststorePassword,
  type ExportedFile,
  exportUsage,
} from '../../output/deployment/exportUsage.ts'
import { Secret } from '../../secrets/secret.ts'
import { fileArguments, runOnFiles } from '../../session/clusterOptions.ts'
import { type ClusterOptions, openCluster } from '../../session/openCluster.ts'

export const certExportCommand: Define = (made, world) =>
  runOnFiles(
    fileArguments(made)
      .requiredOption('--out <path>', 'the file to write')
      .addOption(
        new Option('--format <format>', 'format of the file; p12 and jks are truststores for Java')
          .choices(exportFormats)
          .default('pem'),
      )
      .option('--host <host>', 'export the certificate of this host instead of the authority')
      .addOption(
        new Option('--each', 'write one file for each authority, for browsers: NAME-1.crt …').conflicts([
          'host',
          'withKey',
        ]),
      )
      .option('--with-key', "include the host's private key; only you can read the file")
      .option('--password-file <path>', 'file with the password of the store')
      .option('--password-stdin', 'read the password of the store from standard input')
      .option('--force', 'overwrite an existingPaths file'),
    world,
    (options) => {
      const { out, format, host, passwordFile } = made.opts<{
        out: string
        format: ExportFormat
        host?: string
        passwordFile?: string
      }>()
      return certExport({
        ...options,
        out,
        format,
        host,
        passwordFile,
        withKey: flag(made, 'withKey'),
        each: flag(made, 'each'),
        passwordStdin: flag(made, 'passwordStdin'),
        force: flag(made, 'force'),
      })
    },
  )

/** Sources of the password of an exported store. */
type StorePasswordOptions = {
  readonly context: CommandContext
  readonly passwordFile: string | undefined
  readonly passwordStdin: boolean
}

/** Returns the password of a truststore, which holds nothing secret: the given one, else Java's default. */
export async function truststorePassword(
  options: StorePasswordOptions,
): Promise<{ readonly password: Secret; readonly hasDefaultPassword: boolean }> {
  const { context, passwordFile, passwordStdin } = options
  const given = passwordFile !== undefined || passwordStdin || Boolean(context.env.MUSTER_STORE_PASSWORD)
  if (!given) return { password: new Secret(defaultTruststorePassword), hasDefaultPassword: true }
  return { password: await ask(options, 'the password of the truststore'), hasDefaultPassword: false }
}

/** Returns the password of a keystore, which holds a key: given or prompted for. */
export const keystorePassword = (options: StorePasswordOptions): Promise<Secret> =>
  ask(options, 'the password of the keystore')

/** Characters; Java takes no shorter one when it writes a store. */
const shortest = 6

async function ask(
  { context, passwordFile, passwordStdin }: StorePasswordOptions,
  what: string,
): Promise<Secret> {
  const password = await readPassword({
    context,
    what,
    options: { file: '--password-file', stdin: '--password-stdin', variable: 'MUSTER_STORE_PASSWORD' },
    file: passwordFile,
    stdin: passwordStdin,
    twice: true,
  })
  if ([...password.reveal()].length >= shortest) return password
  throw new UsageError(
    `${capitalized(what)} is too short.`,
    `Use at least ${shortest} characters: keytool refuses fewer.`,
  )
}

type ExportOptions = ClusterOptions & {
  readonly out: string
  readonly format: ExportFormat
  /** Absent: the authority. */
  readonly host: string | undefined
  readonly withKey: boolean
  /** One file for each authority. */
  readonly each: boolean
  readonly force: boolean
  readonly passwordFile: string | undefined
  readonly passwordStdin: boolean
}

type Exported = {
  /** Each with what it is, in words. */
  readonly files: readonly { readonly out: string; readonly content: Buffer; readonly words: string }[]
  readonly what: ExportedFile['what']
  readonly hasDefaultPassword: boolean
}

/**
 * Exports the authority for clients, or a host's certificate, from the state directory. Reaches no host. Exports a
 * private key only on request, into a file for its owner alone.
 */
async function certExport(options: ExportOptions): Promise<ExitCode> {
  const { context, out, force, format } = options
  const { config } = await openCluster(options)
  // Checked before the user types a password.
  const there = force || options.each ? [] : await existingPaths([resolve(context.cwd, out)])
  if (there.length > 0) throw notWritten('exists', { files: [out] })
  const opened = await readState(config)
  for (const note of opened?.notes ?? []) context.stderr.write(`warning: ${note}\n`)
  const exported = await exportedOf(options, { config, state: opened?.state })
  const mode = exported.what === 'key' ? 0o600 : 0o644
  const files = exported.files.map((file) => ({
    ...{ ...file, path: resolve(context.cwd, file.out), text: file.content, mode },
  }))
  const failed = await writeNewFiles(files, { force })
  if (failed !== undefined) {
    const named = failed.files.map((file) => file.out)
    throw notWritten(failed.outcome, { files: named, example: `alpha.${format}` })
  }
  for (const { out, words } of files) context.stdout.write(`wrote ${out}: ${words}\n`)
  context.stdout.write(exportUsage({ ...exported, file: quote(out), format, api: apiOf(config) }))
  return exitCodes.ok
}

async function exportedOf(
  options: ExportOptions,
  { config, state }: { readonly config: ClusterConfig; readonly state: ClusterState | undefined },
): Promise<Exported> {
  const { host, format, withKey } = options
  if (host !== undefined) return hostOf(options, { host: named(config, host), config, state })
  if (withKey) {
    throw new UsageError(
      "--with-key without --host would export the authority's key.",
      'Use `muster state export` to back it up. To export the key of a host, add --host HOST',
    )
  }
  const authorities = state === undefined ? [] : trustedAuthorities(state)
  if (authorities.length === 0) {
    throw new UsageError(
      `There is no authority in ${stateFolder(config)}.`,
      config.hosts.some(isGenerated)
        ? 'Run `muster install` to create it, or `muster state import` to take over that of another operator.'
        : 'The stores are your own: take the authority from the truststore that the file names.',
    )
  }
  if (options.each) return eachOf(options, authorities)
  const { password, hasDefaultPassword } = format === 'pem' ? noPassword : await truststorePassword(options)
  const now = options.context.now()
  const content = exportAuthorities({ authorities, format, password, now })
  const store =
    format === 'pem'
      ? ''
      : `, as a truststore${hasDefaultPassword ? ` with Java's default password, ${defaultTruststorePassword}` : ''}`
  const several = authorities.length > 1
  const subject = several ? `the ${authorities.length} authorities` : 'the authority'
  const words = `${subject} of ${config.cluster}${store}`
  return {
    files: [{ out: options.out, content, words }],
    what: several ? 'authorities' : 'authority',
    hasDefaultPassword,
  }
}

/** One file for each: browsers take no more than one authority from a file. */
function eachOf({ out, format, context }: ExportOptions, authorities: readonly string[]): Exported {
  if (format !== 'pem') {
    throw new UsageError(
      '--each is for PEM: a truststore holds all authorities in one file.',
      'Leave out --each, or --format.',
    )
  }
  const { dir, name, ext } = parse(out)
  const files = authorities.map((authority, index) => ({
    out: join(dir, `${name}-${index + 1}${ext}`),
    content: Buffer.from(authority),
    words: printable(leafFacts(authority, context.now())?.subject ?? 'an authority'),
  }))
  return { files, what: 'each', hasDefaultPassword: false }
}

const noPassword = { password: new Secret(''), hasDefaultPassword: false }

async function hostOf(
  options: ExportOptions,
  {
    host,
    config,
    state,
  }: { readonly host: HostConfig; readonly config: ClusterConfig; readonly state: ClusterState | undefined },
): Promise<Exported> {
  const { format, withKey } = options
  if (!isGenerated(host)) {
    throw new UsageError(
      `The stores of ${host.name} are your own: muster has neither its certificate nor its key.`,
      `Its keystore is ${host.tls.keystorePath ?? ''}; \`keytool -list -v -keystore FILE\` shows it.`,
    )
  }
  if (format === 'jks') {
    throw new UsageError(
      'A key is not written as JKS: its protection there is weak.',
      'Java reads PKCS#12 as well: --format p12',
    )
  }
  if (format === 'p12' && !withKey) {
    throw new UsageError(
      'A PKCS#12 file of a host is its keystore, with the private key in it.',
      'Add --with-key, or use --format pem for the certificate alone.',
    )
  }
  const stores = state?.hosts.get(host.name)
  if (stores === undefined) {
    throw new UsageError(
      `${stateFolder(config)} has no certificate of ${host.name}.`,
      'Run `muster install` to create it.',
    )
  }
  const password = format === 'p12' ? await keystorePassword(options) : new Secret('')
  const content = exportHostCertificate({ host, stores, format, withKey, password })
  const words = withKey
    ? `the private key of ${host.name} with its certificate; only you can read it`
    : `the certificate of ${host.name} and its authority`
  return {
    files: [{ out: options.out, content, words }],
    what: withKey ? 'key' : 'chain',
    hasDefaultPassword: false,
  }
}

function named(config: ClusterConfig, name: string): HostConfig {
  const host = config.hosts.find((one) => one.name === name)
  if (host !== undefined) return host
  throw new UsageError(
    `no host in ${config.cluster} matches '${name}'`,
    `The file has ${listOf(config.hosts.map((one) => one.name))}.`,
  )
}

/** Returns the address of the first enabled API. */
function apiOf(config: ClusterConfig): string | undefined {
  for (const host of config.hosts) {
    const api = host.apis.find(({ enabled }) => enabled)
    if (api !== undefined) return apiAddress(host, api)
  }
  return undefined
}
