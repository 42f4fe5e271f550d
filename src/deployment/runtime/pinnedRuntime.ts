/** Processor names as npm's Node.js packages and Node.js spell them. */
export type Architecture = 'x64' | 'arm64'

/**
 * Node.js for hosts without a maintained one of their own. Pinned, because every host must get the same bytes: the
 * newest 24 (long-term support until 2028-04) that npm has for both processors. The digests are the registry's own
 * for the two packages; other bytes are rejected.
 */
export const pinnedRuntime = {
  version: '24.21.0',
  integrity: {
    x64: 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
    arm64: 'sha512-tkBwUleGts0UUnK+6HKJkEsOMFb9bkG/YvXw8/alFTaDSUbneVeAFVqu6ELHXuyvVYP4vo1hNAAEfN9zl0Cm3g==',
  },
  /** Digest of `bin/node` in each package, in hexadecimal, checked in the cache and on the host. */
  sha256: {
    x64: '7fde7b8afa198da66257f42ee2001d874c7355631e6d1579a5fb5ef1f246df4c',
    arm64: '0f8949d1028f6d61506b2d5bc57e7e6fe893d7b1997509b7847294fc9c616584',
  },
} as const

/** Returns npm's package that holds only the pinned binary and its licence. */
export const runtimePackage = (architecture: Architecture): string =>
  `node-linux-${architecture}@${pinnedRuntime.version}`

/** Oldest major version of Node.js that is maintained on the day of this release. */
export const oldestMaintainedMajor = 22

/** Maps `uname -m` to a processor. */
export const architectureOf = (machine: string): Architecture => (machine === 'aarch64' ? 'arm64' : 'x64')
