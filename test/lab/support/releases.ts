/** Releases of Debian that a lab test installs on, oldest first, with their numbers. */
export const releases = { bullseye: 11, bookworm: 12, trixie: 13 } as const

/**
 * Packages on the hosts of all engines: cloud-init, and with it Python for Ansible. debootstrap(8) resolves no virtual
 * package: python3-cffi-backend provides one that cloud-init needs.
 */
export const enginePackages = ['cloud-init', 'python3-cffi-backend'] as const
