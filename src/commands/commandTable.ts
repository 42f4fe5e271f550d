import { certRows } from './cert/certRows.ts'
import { type CommandRow, groups } from './commandRow.ts'
import { filesRows } from './filesRows.ts'
import { renderRows } from './render/renderRows.ts'
import { usersRows } from './users/usersRows.ts'

/** Commands in the order of the help. */
export const commandTable: readonly CommandRow[] = [
  {
    name: 'init',
    group: groups.start,
    description: 'write a file for a cluster, or an example, and its schema for editors',
    examples: [
      ['Write muster.yaml in this folder', 'muster init'],
      ['Write it without a question', 'muster init --host db1=10.0.0.11,db2=10.0.0.12 --user root'],
    ],
    load: async () => (await import('./init.ts')).initCommand,
  },
  {
    name: 'discover',
    group: groups.start,
    description: 'write the file of databases or of muster that run already',
    examples: [
      ['Read three hosts, and show the file', 'muster discover db1 db2 db3'],
      [
        'Log in as ops with sudo, and write it',
        'muster discover --user ops 10.0.0.11 10.0.0.12 --out muster.yaml',
      ],
    ],
    load: async () => (await import('./discover.ts')).discoverCommand,
  },
  {
    name: 'validate',
    group: groups.start,
    description: 'validate the files and report all problems',
    examples: [
      ['Validate muster.yaml', 'muster validate'],
      [
        'Validate a file with what staging changes, and fail on warnings',
        'muster validate --strict base.yaml staging.yaml',
      ],
    ],
    load: async () => (await import('./validate.ts')).validateCommand,
  },
  {
    name: 'trust',
    group: groups.start,
    description: 'show the SSH keys of the hosts and add trusted ones to known_hosts',
    examples: [
      ['Show the keys of all hosts, and ask before adding new ones', 'muster trust'],
      ['Print the keys as lines of the file, to pin them there', 'muster trust --pin'],
    ],
    load: async () => (await import('./trust.ts')).trustCommand,
  },
  {
    name: 'check',
    group: groups.start,
    description: 'check all hosts for problems that would make install fail',
    examples: [
      ['Check all hosts', 'muster check'],
      ['Fix what is safe to fix on one host, then check again', 'muster check --fix --host db1'],
    ],
    load: async () => (await import('./check.ts')).checkCommand,
  },
  {
    name: 'plan',
    group: groups.start,
    description: 'show what install would change; change nothing',
    examples: [
      ['Show the changes of all hosts', 'muster plan'],
      [
        'Save the changes of two hosts, to apply exactly them later',
        'muster plan --host db1,db2 --out tuesday.plan',
      ],
    ],
    load: async () => (await import('./plan.ts')).planCommand,
  },
  {
    name: 'install',
    group: groups.start,
    description: 'bring every host to the configuration and verify it',
    examples: [
      ['Show the plan, ask, and install', 'muster install'],
      ['Install without asking, one host first', 'muster install --yes --canary'],
      ['Take out hosts and users that left the file, too', 'muster install --prune'],
    ],
    load: async () => (await import('./install.ts')).installCommand,
  },
  {
    name: 'render',
    group: groups.change,
    description: 'write the installation for another engine, such as cloud-init',
    examples: [
      ['Write an archive for each host that applies itself', 'muster render bundle --out bundles'],
      [
        'Write one for a host with another processor',
        'muster render bundle --host db3 --arch arm64 --out bundles',
      ],
    ],
    below: renderRows,
  },
  {
    name: 'upgrade',
    group: groups.change,
    description: 'upgrade installed hosts to this release, one host first',
    examples: [
      ['Upgrade one host, then the others', 'muster upgrade'],
      ['Upgrade two hosts at a time', 'muster upgrade --batch 2'],
    ],
    load: async () => (await import('./upgrade.ts')).upgradeCommand,
  },
  {
    name: 'rollback',
    group: groups.change,
    description: 'go back to the previous release on every host',
    examples: [
      ['Go back to the previous release', 'muster rollback'],
      ['Go back to a version on one host', 'muster rollback --to 0.1.0 --host db1'],
    ],
    load: async () => (await import('./rollback.ts')).rollbackCommand,
  },
  {
    name: 'start',
    group: groups.change,
    description: 'start the components of every host',
    examples: [
      ['Start all components of all hosts', 'muster start'],
      ['Start the connector of one host', 'muster start --host db1 --component connector'],
    ],
    load: async () => (await import('./startStop.ts')).startStopCommand('start'),
  },
  {
    name: 'stop',
    group: groups.change,
    description: 'stop the components of every host',
    examples: [
      ['Stop all components of all hosts', 'muster stop'],
      ['Stop the connector of one host', 'muster stop --host db1 --component connector'],
    ],
    load: async () => (await import('./startStop.ts')).startStopCommand('stop'),
  },
  {
    name: 'restart',
    group: groups.change,
    description: 'restart the components of every host',
    examples: [
      ['Restart all components of all hosts', 'muster restart'],
      ['Restart the connector of one host', 'muster restart --host db1 --component connector'],
    ],
    load: async () => (await import('./startStop.ts')).startStopCommand('restart'),
  },
  {
    name: 'exec',
    group: groups.change,
    description: 'run a command on all hosts, without a shell',
    examples: [
      ['Show how long each host is up', 'muster exec -- uptime -p'],
      ['Check the free space of some hosts', "muster exec --host 'db*' -- df -h /var/lib"],
    ],
    load: async () => (await import('./exec.ts')).execCommand,
  },
  {
    name: 'lock',
    group: groups.change,
    description: 'show or release the locks that keep runs from overlapping',
    examples: [
      ['Show who changes a host at this moment', 'muster lock status'],
      ['Release the locks of runs that were killed', 'muster lock release'],
    ],
    below: [
      {
        name: 'status',
        description: 'show who holds the lock of each host',
        examples: [
          ['Show the lock of every host', 'muster lock status'],
          ['Show the locks as JSON', 'muster lock status --json'],
        ],
        load: async () => (await import('./lock.ts')).lockStatusCommand,
      },
      {
        name: 'release',
        description: 'release the locks of runs that have ended',
        examples: [
          ['Release the locks of runs that have ended, after a question', 'muster lock release'],
          ['Release the lock of one host without asking', 'muster lock release --yes --host db1'],
        ],
        load: async () => (await import('./lock.ts')).lockReleaseCommand,
      },
    ],
  },
  {
    name: 'uninstall',
    group: groups.change,
    description: 'remove what install put on every host',
    examples: [
      ['Remove muster from all hosts, after a question', 'muster uninstall'],
      ['Remove it from one host', 'muster uninstall --host db3'],
    ],
    load: async () => (await import('./uninstall.ts')).uninstallCommand,
  },
  {
    name: 'forget',
    group: groups.change,
    description: 'forget a host that left the file and is gone for good',
    examples: [
      ['Forget a host that is gone, after a question', 'muster forget db3'],
      ['Forget it without asking', 'muster forget db3 --yes'],
    ],
    load: async () => (await import('./forget.ts')).forgetCommand,
  },
  {
    name: 'drift',
    group: groups.look,
    description: 'compare the hosts with the file: checks, changes, certificates and users',
    examples: [
      ['Find every difference between the hosts and the file', 'muster drift'],
      ['Print a systemd timer that does so every hour', 'muster drift --schedule --on-calendar hourly'],
    ],
    load: async () => (await import('./drift.ts')).driftCommand,
  },
  {
    name: 'status',
    group: groups.look,
    description: 'show the cluster, its hosts and what is not well',
    examples: [
      ['Show the cluster', 'muster status'],
      ['Show it again whenever it changes', 'muster status --watch'],
      ['Show two hosts as JSON', 'muster status db1 db2 -o json'],
    ],
    load: async () => (await import('./status.ts')).statusCommand,
  },
  {
    name: 'graph',
    group: groups.look,
    description: 'print the topology as text, Mermaid or SVG',
    examples: [
      ['Draw the topology of the file', 'muster graph'],
      ['Draw what the hosts say, for a Markdown page', 'muster graph --live -o mermaid > alpha.mmd'],
    ],
    load: async () => (await import('./graph.ts')).graphCommand,
  },
  {
    name: 'dashboard',
    group: groups.look,
    description: 'show the clusters in a browser, over SSH',
    examples: [
      ['Show the cluster in a browser', 'muster dashboard'],
      ['Show two clusters, and print the address only', 'muster dashboard --no-open alpha.yaml beta.yaml'],
    ],
    load: async () => (await import('./dashboard.ts')).dashboardCommand,
  },
  {
    name: 'logs',
    group: groups.look,
    description: 'show recent component logs from all hosts',
    examples: [
      ['Show the last lines of all hosts', 'muster logs'],
      ['Follow the warnings of all managers', 'muster logs --follow --component manager --level warn'],
    ],
    load: async () => (await import('./logs.ts')).logsCommand,
  },
  {
    name: 'ssh',
    group: groups.look,
    description: 'log in to a host with ssh, as the file says',
    examples: [
      ['Log in to a host', 'muster ssh db1'],
      ['Run a command there', 'muster ssh db1 -- uptime -p'],
    ],
    load: async () => (await import('./sshToHost.ts')).sshLoginCommand,
  },
  {
    name: 'audit',
    group: groups.look,
    description:
      'list the runs of a cluster and what people did by tapi and the dashboard, or show a run: muster audit ID',
    examples: [
      ['Show the last run', 'muster audit last'],
      ['Verify that no line of the audit logs was changed', 'muster audit --verify'],
    ],
    load: async () => (await import('./audit.ts')).auditCommand,
  },
  {
    name: 'diag',
    group: groups.look,
    description: 'collect an archive for a bug report, without secrets',
    examples: [
      ['Write the archive into this folder', 'muster diag'],
      ['Collect only from one host', 'muster diag --host db2 --out db2.tar.gz'],
    ],
    load: async () => (await import('./diag.ts')).diagCommand,
  },
  {
    name: 'notify',
    group: groups.look,
    description: 'send a test message to every webhook of the file',
    examples: [
      ['Test the webhooks', 'muster notify'],
      ['Test those of another file', 'muster notify staging.yaml'],
    ],
    load: async () => (await import('./notify.ts')).notifyCommand,
  },
  {
    name: 'users',
    group: groups.access,
    description: 'manage the administrators of all hosts',
    examples: [
      ['Show who may log in where', 'muster users list'],
      ['Change the password of a user on every host', 'muster users rotate admin'],
    ],
    below: usersRows,
  },
  {
    name: 'cert',
    group: groups.access,
    description: 'manage the certificates of the hosts',
    examples: [
      ['Show until when the certificates are valid', 'muster cert list'],
      ['Renew the certificate of one host', 'muster cert renew --host db1'],
    ],
    below: certRows,
  },
  {
    name: 'switch',
    group: groups.databases,
    description: 'make another data source the primary, while clients wait',
    examples: [
      ['Make the best replica the primary', 'muster switch'],
      ['Make db2 the primary, without a question', 'muster switch --to db2 --yes'],
    ],
    load: async () => (await import('./switch.ts')).switchCommand,
  },
  {
    name: 'failover',
    group: groups.databases,
    description: 'make a survivor the primary in place of one that is lost',
    examples: [
      ['Show what would be done and what may be lost', 'muster failover --dry-run'],
      ['Replace the lost primary by the best survivor', 'muster failover'],
    ],
    load: async () => (await import('./switch.ts')).failoverCommand,
  },
  {
    name: 'provision',
    group: groups.databases,
    description: 'make the database of a host anew from that of another one',
    examples: [
      ['Make db3 anew from the best source', 'muster provision db3'],
      ['Show what would be copied from db1', 'muster provision db3 --from db1 --dry-run'],
    ],
    load: async () => (await import('./provision.ts')).provisionCommand,
  },
  {
    name: 'drill',
    group: groups.databases,
    description: 'make a fault on purpose, undo it, and prove that nothing was lost',
    examples: [
      ['Show what killing the server of the primary would do', 'muster drill --dry-run'],
      ['Stop the server of db2 for a while, and write a report', 'muster drill hang db2 --report drill.md'],
    ],
    load: async () => (await import('./drill.ts')).drillCommand,
  },
  ...filesRows,
  {
    name: 'completion',
    group: groups.program,
    description: 'generate the shell completion script',
    examples: [
      ['Load it at every start of bash', "echo 'source <(muster completion bash)' >> ~/.bashrc"],
      ['Load it in this fish', 'muster completion fish | source'],
    ],
    load: async () => (await import('../cli/completion/stubs.ts')).completionCommand('muster'),
  },
  {
    name: 'version',
    group: groups.program,
    description: 'show the version of muster, and the release on each host',
    examples: [
      ['Show the versions of muster and of all hosts', 'muster version'],
      ['Show the version of muster alone', 'muster version --client'],
    ],
    load: async () => (await import('./version.ts')).versionCommand,
  },
]
