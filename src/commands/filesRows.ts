import { type CommandRow, groups } from './commandRow.ts'

/** Commands that read and write files of this machine. */
export const filesRows: readonly CommandRow[] = [
  {
    name: 'config',
    group: groups.files,
    description: 'show the effective options of every host and their source',
    examples: [
      ['Show the options of one host and where they are set', 'muster config --host db1 --origin'],
      ['Print those of all hosts as JSON', 'muster config --format json'],
    ],
    load: async () => (await import('./config.ts')).configCommand,
    below: [
      {
        name: 'diff',
        description: 'compare what two configurations set for each host',
        examples: [
          ['Compare two files', 'muster config diff before.yaml after.yaml'],
          [
            'Compare a file with itself and what staging changes',
            'muster config diff base.yaml base.yaml,staging.yaml',
          ],
        ],
        load: async () => (await import('./config/diff.ts')).configDiffCommand,
      },
    ],
  },
  {
    name: 'explain',
    group: groups.files,
    description: 'explain a finding or a setting, or list all of them',
    examples: [
      ['Explain an option', 'muster explain manager-rest-api-port'],
      ['Explain the code of a finding', 'muster explain file-not-found'],
    ],
    load: async () => (await import('./explain.ts')).explainCommand,
  },
  {
    name: 'import',
    group: groups.files,
    description: 'convert an INI file of the product family to YAML',
    examples: [
      ['Show the YAML of an INI file', 'muster import cluster.ini'],
      ['Write it into a file that only you can read', 'muster import cluster.ini --out muster.yaml'],
    ],
    load: async () => (await import('./import.ts')).importCommand,
  },
  {
    name: 'state',
    group: groups.files,
    description: 'move the state directory to another operator, encrypted',
    examples: [
      ['Write the state into an encrypted archive', 'muster state export --out alpha.state'],
      ['Read it on another machine', 'muster state import --from alpha.state'],
    ],
    below: [
      {
        name: 'export',
        description: 'export the state directory to an encrypted archive',
        examples: [
          ['Export, and ask for a passphrase', 'muster state export --out alpha.state'],
          [
            'Read the passphrase from a file',
            'muster state export --out alpha.state --passphrase-file passphrase',
          ],
        ],
        load: async () => (await import('./state.ts')).stateExportCommand,
      },
      {
        name: 'import',
        description: 'import an archive; never overwrites a different state',
        examples: [
          ['Import, and ask for the passphrase', 'muster state import --from alpha.state'],
          [
            'Read the passphrase from a file',
            'muster state import --from alpha.state --passphrase-file passphrase',
          ],
        ],
        load: async () => (await import('./state.ts')).stateImportCommand,
      },
    ],
  },
  {
    name: 'schema',
    group: groups.files,
    description: 'print the JSON Schema of the file, for editors',
    examples: [
      ['Write the schema beside the file', 'muster schema --out muster.schema.json'],
      ['Print it', 'muster schema'],
    ],
    load: async () => (await import('./schema.ts')).schemaCommand,
  },
]
