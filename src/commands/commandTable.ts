import type { Define } from '../cli/command.ts'

/** A command, and where the rest of its definition is. */
export type CommandRow = {
  readonly name: string
  /** Options and arguments, as the help of the command above it shows them. */
  readonly usage: string
  readonly description: string
  /** Imports the command's file, which is heavy: run when the command is used. Absent for a group. */
  readonly load?: () => Promise<Define>
  readonly below?: readonly CommandRow[]
}

const files = '[options] [file...]'

/** Commands in the order of the help. */
export const commandTable: readonly CommandRow[] = [
  {
    name: 'init',
    usage: '[options] [file]',
    description: 'write a commented example file and its schema for editors',
    load: async () => (await import('./init.ts')).initCommand,
  },
  {
    name: 'validate',
    usage: files,
    description: 'validate the files and report all problems',
    load: async () => (await import('./validate.ts')).validateCommand,
  },
  {
    name: 'config',
    usage: files,
    description: 'show the effective options of every host and their source',
    load: async () => (await import('./config.ts')).configCommand,
    below: [
      {
        name: 'diff',
        usage: '[options] <before> <after>',
        description: 'compare what two configurations set for each host',
        load: async () => (await import('./config/diff.ts')).configDiffCommand,
      },
    ],
  },
  {
    name: 'explain',
    usage: '[options] [name]',
    description: 'explain a finding or a setting, or list all of them',
    load: async () => (await import('./explain.ts')).explainCommand,
  },
  {
    name: 'import',
    usage: '[options] <file>',
    description: 'convert an INI file of the product family to YAML',
    load: async () => (await import('./import.ts')).importCommand,
  },
  {
    name: 'export',
    usage: files,
    description: 'convert the configuration to an INI file of the product family',
    load: async () => (await import('./export.ts')).exportCommand,
  },
  {
    name: 'trust',
    usage: files,
    description: 'show the SSH keys of the hosts and add trusted ones to known_hosts',
    load: async () => (await import('./trust.ts')).trustCommand,
  },
  {
    name: 'check',
    usage: files,
    description: 'check all hosts for problems that would make install fail',
    load: async () => (await import('./check.ts')).checkCommand,
  },
  {
    name: 'logs',
    usage: files,
    description: 'show recent component logs from all hosts',
    load: async () => (await import('./logs.ts')).logsCommand,
  },
  {
    name: 'exec',
    usage: files,
    description: 'run a command on all hosts, without a shell',
    load: async () => (await import('./exec.ts')).execCommand,
  },
  {
    name: 'plan',
    usage: files,
    description: 'show what install would change; change nothing',
    load: async () => (await import('./plan.ts')).planCommand,
  },
  {
    name: 'install',
    usage: files,
    description: 'bring every host to the configuration and verify it',
    load: async () => (await import('./install.ts')).installCommand,
  },
  {
    name: 'status',
    usage: files,
    description: 'show the cluster, its hosts and what is not well',
    load: async () => (await import('./status.ts')).statusCommand,
  },
  {
    name: 'graph',
    usage: files,
    description: 'print the topology as text, Mermaid or SVG',
    load: async () => (await import('./graph.ts')).graphCommand,
  },
  {
    name: 'dashboard',
    usage: files,
    description: 'show the clusters in a browser, over SSH',
    load: async () => (await import('./dashboard.ts')).dashboardCommand,
  },
  {
    name: 'switch',
    usage: files,
    description: 'make another data source the primary, while clients wait',
    load: async () => (await import('./switch.ts')).switchCommand,
  },
  {
    name: 'start',
    usage: files,
    description: 'start the components of every host',
    load: async () => (await import('./startStop.ts')).startStopCommand('start'),
  },
  {
    name: 'stop',
    usage: files,
    description: 'stop the components of every host',
    load: async () => (await import('./startStop.ts')).startStopCommand('stop'),
  },
  {
    name: 'restart',
    usage: files,
    description: 'restart the components of every host',
    load: async () => (await import('./startStop.ts')).startStopCommand('restart'),
  },
  {
    name: 'uninstall',
    usage: files,
    description: 'remove what install put on every host',
    load: async () => (await import('./uninstall.ts')).uninstallCommand,
  },
  {
    name: 'lock',
    usage: '',
    description: 'show or release the locks that keep runs from overlapping',
    below: [
      {
        name: 'status',
        usage: files,
        description: 'show who holds the lock of each host',
        load: async () => (await import('./lock.ts')).lockStatusCommand,
      },
      {
        name: 'release',
        usage: files,
        description: 'release the locks of runs that have ended',
        load: async () => (await import('./lock.ts')).lockReleaseCommand,
      },
    ],
  },
  {
    name: 'audit',
    usage: files,
    description: 'list the runs of a cluster, or show one: muster audit ID',
    load: async () => (await import('./audit.ts')).auditCommand,
  },
  {
    name: 'upgrade',
    usage: files,
    description: 'upgrade installed hosts to this release, one host first',
    load: async () => (await import('./upgrade.ts')).upgradeCommand,
  },
  {
    name: 'rollback',
    usage: files,
    description: 'go back to the previous release on every host',
    load: async () => (await import('./rollback.ts')).rollbackCommand,
  },
  {
    name: 'users',
    usage: '',
    description: 'manage the administrators of all hosts',
    below: [
      {
        name: 'list',
        usage: files,
        description: 'list users by host and show where hosts differ',
        load: async () => (await import('./users/list.ts')).usersListCommand,
      },
      {
        name: 'verify',
        usage: files,
        description: 'verify the users of all hosts by logging in, for cron and CI',
        load: async () => (await import('./users/verify.ts')).usersVerifyCommand,
      },
      {
        name: 'apply',
        usage: files,
        description: 'apply the users of the file to every host, without a restart',
        load: async () => (await import('./users/apply.ts')).usersApplyCommand,
      },
      {
        name: 'rotate',
        usage: '[options] <name> [file...]',
        description: 'change the password of a user on every host',
        load: async () => (await import('./users/rotate.ts')).usersRotateCommand,
      },
      {
        name: 'remove',
        usage: '[options] <name> [file...]',
        description: 'remove a user that the file does not name from every host',
        load: async () => (await import('./users/remove.ts')).usersRemoveCommand,
      },
      {
        name: 'unlock',
        usage: '[options] <name> [file...]',
        description: 'unlock a user on every host after failed logins',
        load: async () => (await import('./users/unlock.ts')).usersUnlockCommand,
      },
    ],
  },
  {
    name: 'cert',
    usage: '',
    description: 'manage the certificates of the hosts',
    below: [
      {
        name: 'list',
        usage: files,
        description: 'list the certificate of each host, on disk and as served',
        load: async () => (await import('./cert/list.ts')).certListCommand,
      },
      {
        name: 'check',
        usage: files,
        description: 'check the certificates of all hosts, for cron and CI',
        load: async () => (await import('./cert/check.ts')).certCheckCommand,
      },
      {
        name: 'export',
        usage: files,
        description: "export the authority for clients, or a host's certificate",
        load: async () => (await import('./cert/export.ts')).certExportCommand,
      },
      {
        name: 'csr',
        usage: files,
        description: 'write a certificate signing request for each host',
        load: async () => (await import('./cert/csr.ts')).certCsrCommand,
      },
      {
        name: 'import',
        usage: files,
        description: 'import a certificate that an external authority signed',
        load: async () => (await import('./cert/import.ts')).certImportCommand,
      },
      {
        name: 'renew',
        usage: files,
        description: 'renew keys and certificates of hosts, without a restart',
        load: async () => (await import('./cert/renew.ts')).certRenewCommand,
      },
      {
        name: 'rotate-authority',
        usage: files,
        description: 'replace the certificate authority, in three phases',
        load: async () => (await import('./cert/rotateAuthority.ts')).certRotateAuthorityCommand,
      },
      {
        name: 'protect-authority',
        usage: files,
        description: "encrypt the authority's key with a passphrase",
        load: async () => (await import('./cert/protectAuthority.ts')).certProtectAuthorityCommand,
      },
    ],
  },
  {
    name: 'state',
    usage: '',
    description: 'move the state directory to another operator, encrypted',
    below: [
      {
        name: 'export',
        usage: files,
        description: 'export the state directory to an encrypted archive',
        load: async () => (await import('./state.ts')).stateExportCommand,
      },
      {
        name: 'import',
        usage: files,
        description: 'import an archive; never overwrites a different state',
        load: async () => (await import('./state.ts')).stateImportCommand,
      },
    ],
  },
  {
    name: 'diag',
    usage: files,
    description: 'collect an archive for a bug report, without secrets',
    load: async () => (await import('./diag.ts')).diagCommand,
  },
  {
    name: 'schema',
    usage: '[options]',
    description: 'print the JSON Schema of the file, for editors',
    load: async () => (await import('./schema.ts')).schemaCommand,
  },
  {
    name: 'completion',
    usage: '<shell>',
    description: 'generate the shell completion script',
    load: async () => (await import('../cli/completion/stubs.ts')).completionCommand('muster'),
  },
]
