import { dirname, join, resolve } from 'node:path'
import { type Define, flag } from '../cli/command.ts'
import type { CommandContext } from '../cli/context.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { UsageError } from '../cli/usageError.ts'
import { type WriteOutcome, writeNewFile, writeProblem } from '../cli/writeNewFile.ts'
import { writeSchema } from './schema.ts'

export const initCommand: Define = (made, { context, done }) =>
  made
    .argument('[file]', 'file to write', 'muster.yaml')
    .option('--force', 'overwrite an existing file')
    .action(async (file: string) => done(await init({ context, file, force: flag(made, 'force') })))

/** Commented example of every group of a configuration; it validates as it is. */
const startingFile = `# yaml-language-server: $schema=./muster.schema.json
# One file describes the whole installation. Check it with: muster validate

# The name of the cluster. It becomes part of service and file names on the hosts.
cluster: alpha

# Options for every host. A service or a host can have its own, under "options:"; the most specific one applies.
defaults:
  # The administrator of every API. Without a password, muster generates one, keeps it in .muster/ beside
  # this file and shows it once. To set your own, read it from elsewhere instead of writing it here:
  #   rest-api-admin-pass: !env ADMIN_PASS          an environment variable
  #   rest-api-admin-pass: !file admin-password     a file, relative to this one
  #   rest-api-admin-pass: !exec [pass, muster]     a program and its arguments
  # An editor accepts these tags with: yaml.customTags: ["!env scalar", "!file scalar", "!exec sequence"]
  rest-api-admin-user: admin

  # Each API listens on 127.0.0.1 only. 0.0.0.0 opens it on all interfaces of the host.
  manager-rest-api-address: 0.0.0.0
  connector-rest-api-address: 0.0.0.0
  replicator-rest-api-address: 0.0.0.0

  # Other ports, if the defaults are in use:
  # manager-rest-api-port: 8090
  # connector-rest-api-port: 8096
  # replicator-rest-api-port: 8097

  # muster generates a certificate for each host. To use your own, set both stores and their passwords:
  # java-tls-keystore-path: tls/keystore.p12
  # java-keystore-password: !env KEYSTORE_PASS
  # java-truststore-path: tls/truststore.p12
  # java-truststore-password: !env TRUSTSTORE_PASS

# How to reach the hosts over SSH.
ssh:
  user: ops
  # The login user is not root: run everything through sudo.
  become: true
  # identity: ~/.ssh/id_ed25519

# Roles of the hosts. Members of a clustered service run manager and replicator, connectors run the connector;
# members of a service with "topology: replicator" run only the replicator.
services:
  alpha:
    topology: clustered
    master: db1
    members: [db1, db2, db3]
    connectors: [db1, db2, db3]

# Every host, by name. Replace these with yours.
hosts:
  db1:
    address: 10.0.0.11
  db2:
    address: 10.0.0.12
  db3:
    address: 10.0.0.13
    # Settings of this host only:
    # ssh: { port: 2222 }
    # options: { manager-rest-api-port: 18090 }
`

/** The way from the file to running APIs. */
const next = [
  ['validate', 'check the file'],
  ['trust', 'accept the SSH keys of the hosts'],
  ['check', 'look for problems on the hosts'],
  ['plan', 'show what would change'],
  ['install', 'install, and verify every login'],
] as const

function reason(outcome: Exclude<WriteOutcome, 'written'>, file: string): string {
  if (outcome === 'exists') {
    return `${file} already exists and was not changed.\nTo overwrite it: muster init --force ${file}\n`
  }
  const { message, fix } = writeProblem(outcome, { file, example: 'muster.yaml' })
  return `${message}\n${fix}\n`
}

/** Writes the schema that the first line of the file names; says why where that fails, for the file does without. */
async function schemaBeside(file: string, context: CommandContext): Promise<string> {
  const shown = join(dirname(file), 'muster.schema.json')
  try {
    await writeSchema(resolve(context.cwd, shown), shown)
    return `Wrote ${file}, and ${shown} for editors with the YAML language server.\n`
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return `Wrote ${file}, but not the schema for editors: ${error.message}\n`
  }
}

/**
 * Writes a commented starting file, for the owner alone to read (0600), and the schema for editors beside it; never
 * over another configuration without `force`.
 */
export async function init(options: {
  readonly context: CommandContext
  /** As the user typed it, relative to the working directory. */
  readonly file: string
  readonly force: boolean
}): Promise<ExitCode> {
  const { context, file, force } = options
  const outcome = await writeNewFile({ path: resolve(context.cwd, file), text: startingFile, force })
  if (outcome !== 'written') {
    context.stderr.write(reason(outcome, file))
    return exitCodes.usage
  }
  const wrote = await schemaBeside(file, context)
  const named = file === 'muster.yaml' ? '' : ` ${file}`
  const steps = next.map(([command, does], index) => {
    const padded = `muster ${command}${named}`.padEnd('muster validate'.length + named.length)
    return `  ${index + 2}. ${padded}   ${does}\n`
  })
  context.stdout.write(`${wrote}Next:\n  1. Put your hosts into it.\n${steps.join('')}`)
  return exitCodes.ok
}
