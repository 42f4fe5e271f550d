import type { CommandRow } from '../commandRow.ts'

/** Commands below `muster render`. */
export const renderRows: readonly CommandRow[] = [
  {
    name: 'bundle',
    description: 'write an archive for each host that applies itself, without SSH',
    examples: [
      ['Write an archive and a key for each host', 'muster render bundle --out bundles'],
      [
        'Seal the secrets for keys that the hosts have',
        'muster render bundle --recipients hosts.yaml --out bundles',
      ],
    ],
    load: async () => (await import('./bundle.ts')).renderBundleCommand,
  },
  {
    name: 'ansible',
    description: 'write a role, an inventory and playbooks for Ansible',
    examples: [
      ['Write a project', 'muster render ansible --out project --vault-password-file vault.pass'],
      [
        'Write it again after a change',
        'muster render ansible --out project --vault-password-file vault.pass --force',
      ],
    ],
    load: async () => (await import('./ansible.ts')).renderAnsibleCommand,
  },
  {
    name: 'cloud-init',
    description: 'write user-data for each host, which applies its bundle at the first boot',
    examples: [
      ['Write a NoCloud seed for each host', 'muster render cloud-init --out seeds'],
      [
        'Have hosts fetch their archive from a web server',
        'muster render cloud-init --bundle-url https://images.example.com/alpha --out seeds',
      ],
    ],
    load: async () => (await import('./cloudInit.ts')).renderCloudInitCommand,
  },
  {
    name: 'deb',
    description: 'write a Debian package for each host, which applies its bundle',
    examples: [
      ['Write a package and a key for each host', 'muster render deb --out packages'],
      ['Write one again after a change', 'muster render deb --force --host db1 --out packages'],
    ],
    load: async () => (await import('./deb.ts')).renderDebCommand,
  },
]
