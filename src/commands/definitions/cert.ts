import { type Command, Option } from 'commander'
import { type ExportFormat, exportFormats } from '../../deployment/certificates/exportStores.ts'
import { allInParallel } from '../../deployment/execution/rollout.ts'
import { componentGiven, componentOption } from './componentOption.ts'
import {
  command,
  type Definition,
  files,
  flag,
  reaching,
  reachingAll,
  runsOnFiles,
  signing,
  type World,
} from './definition.ts'
import { asking, changeFlags, changing } from './deployment.ts'
import { formatGiven, formatOption } from './formatOption.ts'
import { hostOption, hostsGiven } from './hostOption.ts'
import { rolling, rollingGiven } from './rolling.ts'

/** Certificates over their whole life. */
export const cert: Definition = (world) => [
  command('cert', 'manage the certificates of the hosts', world)
    .addCommand(list(world))
    .addCommand(check(world))
    .addCommand(exported(world))
    .addCommand(csr(world))
    .addCommand(imported(world))
    .addCommand(renew(world))
    .addCommand(rotateAuthority(world))
    .addCommand(protect(world)),
]

const list = (world: World): Command =>
  runsOnFiles(
    componentOption(
      reaching(command('list', 'list the certificate of each host, on disk and as served', world)),
    ).option('--json', 'print everything as JSON'),
    world,
    async (options, made) => {
      const { certList } = await import('../cert/list.ts')
      return certList({ ...options, component: componentGiven(made), json: flag(made, 'json') })
    },
  )

const check = (world: World): Command =>
  runsOnFiles(
    formatOption(
      componentOption(
        reaching(command('check', 'check the certificates of all hosts, for cron and CI', world)),
      ),
    ).addHelpText(
      'after',
      '\nWarnings fail the check; tls-warning-days sets how early a certificate is reported.',
    ),
    world,
    async (options, made) => {
      const { certCheck } = await import('../cert/check.ts')
      return certCheck({ ...options, component: componentGiven(made), format: formatGiven(made) })
    },
  )

const exported = (world: World): Command =>
  runsOnFiles(
    files(command('export', "export the authority for clients, or a host's certificate", world))
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
      .option('--force', 'overwrite an existing file'),
    world,
    async (options, made) => {
      const { certExport } = await import('../cert/export.ts')
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

const csr = (world: World): Command =>
  runsOnFiles(
    hostOption(files(command('csr', 'write a certificate signing request for each host', world)))
      .requiredOption('--out <path>', 'folder for the requests, one HOST.csr each')
      .option('--force', 'overwrite existing requests'),
    world,
    async (options, made) => {
      const { certCsr } = await import('../cert/csr.ts')
      const { out } = made.opts<{ out: string }>()
      const targets = { hosts: hostsGiven(made), services: [] }
      return certCsr({ ...options, targets, out, force: flag(made, 'force') })
    },
  )

const imported = (world: World): Command =>
  runsOnFiles(
    files(command('import', 'import a certificate that an external authority signed', world))
      .requiredOption('--host <host>', 'host of the certificate')
      .requiredOption('--from <path>', 'PEM file with the certificate and its chain, including the root'),
    world,
    async (options, made) => {
      const { certImport } = await import('../cert/import.ts')
      return certImport({ ...options, ...made.opts<{ host: string; from: string }>() })
    },
  )

const renew = (world: World): Command =>
  runsOnFiles(
    rolling(
      signing(changing(command('renew', 'renew keys and certificates of hosts, without a restart', world))),
      allInParallel,
    ).option('--own-authority', "replace certificates of an external authority by the cluster's own"),
    world,
    async (options, made) => {
      const { renew: run } = await import('../cert/renew.ts')
      const rollout = rollingGiven(made, allInParallel)
      return run({ ...options, ...changeFlags(made), rollout, ownAuthority: flag(made, 'ownAuthority') })
    },
  )

const rotateAuthority = (world: World): Command =>
  runsOnFiles(
    signing(
      asking(
        reachingAll(command('rotate-authority', 'replace the certificate authority, in three phases', world)),
      ),
    ).option('--trust-only', 'stop once all hosts trust both, so that clients can be updated'),
    world,
    async (options, made) => {
      const { rotateAuthority: run } = await import('../cert/rotateAuthority.ts')
      return run({ ...options, ...changeFlags(made), trustOnly: flag(made, 'trustOnly') })
    },
  )

const protect = (world: World): Command =>
  runsOnFiles(
    files(command('protect-authority', "encrypt the authority's key with a passphrase", world))
      .option('--remove', 'remove the passphrase')
      .option('--passphrase-file <file>', 'file with the passphrase')
      .option('--passphrase-stdin', 'read the passphrase from standard input'),
    world,
    async (options, made) => {
      const { protectAuthority } = await import('../cert/protectAuthority.ts')
      return protectAuthority({
        ...options,
        remove: flag(made, 'remove'),
        passphraseFile: made.opts<{ passphraseFile?: string }>().passphraseFile,
        passphraseStdin: flag(made, 'passphraseStdin'),
      })
    },
  )
