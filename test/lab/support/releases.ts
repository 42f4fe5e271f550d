import type { BaseWish } from './baseImage.ts'

/** Releases of Debian that a lab test installs on, oldest first, with their numbers. */
export const releases = { bullseye: 11, bookworm: 12, trixie: 13 } as const

/**
 * Packages on the hosts of all engines: cloud-init, and with it Python for Ansible. debootstrap(8) resolves no virtual
 * package: python3-cffi-backend provides one that cloud-init needs.
 */
export const enginePackages = ['cloud-init', 'python3-cffi-backend'] as const

/** Servers of databases besides that of this machine's release, each in a release of Debian that has it. */
export const databaseBases = {
  mariadb10: { suite: 'bookworm', database: 'mariadb-server' },
  mariadb11: { suite: 'trixie', database: 'mariadb-server' },
  mysql: { suite: 'sid', database: 'mysql-server' },
} as const satisfies Readonly<Record<string, BaseWish>>

/** Hosts of this machine's release that Ansible can log in to, and whose database can be made anew from that of another one. */
export const equippedBase = { packages: ['mariadb-backup', 'python3'] } as const satisfies BaseWish
