import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const programs: Readonly<Record<string, string>> = {
  'systemd-nspawn': 'systemd-container',
  debootstrap: 'debootstrap',
  ip: 'iproute2',
  ssh: 'openssh-client',
  'ssh-keygen': 'openssh-client',
}

// A login shell without /usr/sbin in its path still has the programs.
const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin']

/** Whether a program is installed on this machine. */
export const installed = (program: string): boolean =>
  folders.some((folder) => folder !== '' && existsSync(join(folder, program)))

/** What this machine lacks to run the lab, in words; empty when it lacks nothing. */
export function missingForLab(): readonly string[] {
  const packages = Object.entries(programs)
    .filter(([program]) => !installed(program))
    .map(([, name]) => `Debian package ${name}`)
  return [
    ...(process.platform === 'linux' ? [] : ['Linux']),
    ...(process.getuid?.() === 0 ? [] : ['root']),
    ...new Set(packages),
  ]
}

const lacking = missingForLab()

/** Whether the lab can run here, and words for a test's title that say what it lacks otherwise. */
export const labHere = {
  missing: lacking.length > 0,
  needs: lacking.length > 0 ? ` (needs ${lacking.join(', ')})` : '',
} as const
