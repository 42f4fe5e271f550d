import type { CommandRow } from '../commandRow.ts'

/** Commands below `muster cert`. */
export const certRows: readonly CommandRow[] = [
  {
    name: 'list',
    description: 'list the certificate of each host, on disk and as served',
    examples: [
      ['List all certificates', 'muster cert list'],
      ['List those of the managers as JSON', 'muster cert list --component manager --json'],
    ],
    load: async () => (await import('./list.ts')).certListCommand,
  },
  {
    name: 'check',
    description: 'check the certificates of all hosts, for cron and CI',
    examples: [
      ['Check all certificates', 'muster cert check'],
      ['Write a report for CI', 'muster cert check --format junit'],
    ],
    load: async () => (await import('./check.ts')).certCheckCommand,
  },
  {
    name: 'export',
    description: "export the authority for clients, or a host's certificate",
    examples: [
      ['Export the authority for curl and browsers', 'muster cert export --out authority.crt'],
      ['Export a truststore for Java', 'muster cert export --format p12 --out trust.p12'],
    ],
    load: async () => (await import('./export.ts')).certExportCommand,
  },
  {
    name: 'csr',
    description: 'write a certificate signing request for each host',
    examples: [
      ['Write requests for all hosts into a folder', 'muster cert csr --out requests'],
      ['Write one for one host', 'muster cert csr --host db1 --out requests'],
    ],
    load: async () => (await import('./csr.ts')).certCsrCommand,
  },
  {
    name: 'import',
    description: 'import a certificate that an external authority signed',
    examples: [
      ['Import the certificate of a host', 'muster cert import --host db1 --from db1.pem'],
      [
        'Import it for the cluster of another file',
        'muster cert import --host db1 --from db1.pem staging.yaml',
      ],
    ],
    load: async () => (await import('./import.ts')).certImportCommand,
  },
  {
    name: 'renew',
    description: 'renew keys and certificates of hosts, without a restart',
    examples: [
      ['Renew the certificates of all hosts', 'muster cert renew'],
      [
        "Go back from an external authority to the cluster's own",
        'muster cert renew --own-authority --host db1',
      ],
    ],
    load: async () => (await import('./renew.ts')).certRenewCommand,
  },
  {
    name: 'rotate-authority',
    description: 'replace the certificate authority, in three phases',
    examples: [
      ['Replace the authority on all hosts', 'muster cert rotate-authority'],
      [
        'Stop once all hosts trust both, to update clients first',
        'muster cert rotate-authority --trust-only',
      ],
      ['Replace an authority that is lost with the state directory', 'muster cert rotate-authority --lost'],
    ],
    load: async () => (await import('./rotateAuthority.ts')).certRotateAuthorityCommand,
  },
  {
    name: 'protect-authority',
    description: "encrypt the authority's key with a passphrase",
    examples: [
      ['Encrypt the key, and ask for a passphrase', 'muster cert protect-authority'],
      ['Remove the passphrase', 'muster cert protect-authority --remove'],
    ],
    load: async () => (await import('./protectAuthority.ts')).certProtectAuthorityCommand,
  },
]
