import { type Command, Option } from 'commander'
import { type ExportFormat, exportFormats } from '../../deployment/certificates/exportFormats.ts'
import { allAtOnce } from '../../deployment/execution/rollout.ts'
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
  command('cert', 'look after the certificates of the hosts', world)
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
      reaching(command('list', 'show the certificate of each host, on its disk and as it is served', world)),
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
        reaching(command('check', 'judge the certificates of all hosts, for cron and CI', world)),
      ),
    ).addHelpText('after', '\nWarnings count: tls-warning-days says when a certificate is to be told of.'),
    world,
    async (options, made) => {
      const { certCheck } = await import('../cert/check.ts')
      return certCheck({ ...options, component: componentGiven(made), format: formatGiven(made) })
    },
  )

const exported = (world: World): Command =>
  runsOnFiles(
    files(command('export', "write the authority for clients, or a host's certificate, into a file", world))
      .requiredOption('--out <path>', 'the file to write')
      .addOption(
        new Option('--format <format>', 'p12 and jks: the authority as a truststore for Java')
          .choices(exportFormats)
          .default('pem'),
      )
      .option('--host <host>', 'the certificate of this host instead of the authority')
      .addOption(
        new Option('--each', 'one file for each authority, as browsers take them: NAME-1.crt …').conflicts([
          'host',
          'withKey',
        ]),
      )
      .option('--with-key', "the host's private key, too; the file is for you alone")
      .option('--password-file <path>', 'file with the password of the store')
      .option('--password-stdin', 'read the password of the store from standard input')
      .option('--force', 'replace the file where it exists'),
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
    hostOption(files(command('csr', 'write a request to an outside authority for each host', world)))
      .requiredOption('--out <path>', 'the folder for the requests, HOST.csr each')
      .option('--force', 'replace requests that are there'),
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
    files(command('import', 'take the certificate that an outside authority made for a host', world))
      .requiredOption('--host <host>', 'the host that it is for')
      .requiredOption('--from <path>', 'PEM: the certificate and all that signed it, up to the authority'),
    world,
    async (options, made) => {
      const { certImport } = await import('../cert/import.ts')
      return certImport({ ...options, ...made.opts<{ host: string; from: string }>() })
    },
  )

const renew = (world: World): Command =>
  runsOnFiles(
    rolling(
      signing(changing(command('renew', 'give hosts new keys and certificates; restart nothing', world))),
      allAtOnce,
    ).option(
      '--own-authority',
      "only hosts with a certificate of an outside authority: one of the cluster's own",
    ),
    world,
    async (options, made) => {
      const { renew: run } = await import('../cert/renew.ts')
      const rollout = rollingGiven(made, allAtOnce)
      return run({ ...options, ...changeFlags(made), rollout, ownAuthority: flag(made, 'ownAuthority') })
    },
  )

const rotateAuthority = (world: World): Command =>
  runsOnFiles(
    signing(
      asking(
        reachingAll(
          command(
            'rotate-authority',
            'put a new authority in the place of the old one, in three phases',
            world,
          ),
        ),
      ),
    ).option('--trust-only', 'end when every host trusts both, so that clients elsewhere can learn, too'),
    world,
    async (options, made) => {
      const { rotateAuthority: run } = await import('../cert/rotateAuthority.ts')
      return run({ ...options, ...changeFlags(made), trustOnly: flag(made, 'trustOnly') })
    },
  )

const protect = (world: World): Command =>
  runsOnFiles(
    files(command('protect-authority', "encrypt the authority's key with a passphrase", world))
      .option('--remove', 'take the protection away')
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
