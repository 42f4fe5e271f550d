import { join } from 'node:path'
import type { Outcome } from '../support/execute.ts'
import type { LabHost } from '../support/labTypes.ts'
import { releases } from '../support/releases.ts'
import { renderEngines } from './engines.ts'
import type { Operator } from './operator.ts'

/** Ways of muster to a host (`ssh: { transport: … }`). */
export const transports = ['builtin', 'openssh'] as const
export type TransportName = (typeof transports)[number]

type Installer = {
  readonly install: (
    operator: Operator,
    host: LabHost,
    transport: TransportName,
  ) => Promise<readonly Outcome[]>
  readonly uninstall: (operator: Operator, host: LabHost, transport: TransportName) => Promise<Outcome>
  /** False if muster's transport has no part in the installation: one of them is enough. */
  readonly travels: boolean
}

/** Name of the operator's file for a transport. */
export const fileOf = (transport: TransportName): string => `${transport}.yaml`

const muster: Installer = {
  travels: true,
  install: async (operator, { name }, transport) => [
    await operator.muster(['install', '--yes', '--host', name, fileOf(transport)]),
  ],
  uninstall: (operator, { name }, transport) =>
    operator.muster(['uninstall', '--yes', '--host', name, fileOf(transport)]),
}

const rendered = (name: keyof typeof renderEngines): Installer => ({
  travels: false,
  install: async (operator, host) => [
    await renderEngines[name].render(operator, host),
    await renderEngines[name].apply(operator, host),
  ],
  uninstall: renderEngines[name].uninstall,
})

/** Ways to bring an installation to a host, as the table of docs/guide/engines.md lists them. */
export const installers = {
  muster,
  bundle: rendered('bundle'),
  ansible: rendered('ansible'),
  'cloud-init': rendered('cloud-init'),
  deb: rendered('deb'),
} as const

/** Returns the table of the guide: each cell is a test of test/lab/matrix.test.ts. */
export function matrixTable(): string {
  const heads = Object.entries(releases).map(([name, version]) => `Debian ${version} (${name})`)
  const rows = Object.keys(installers).flatMap((engine) =>
    transports.map((transport) => [engine, transport, ...heads.map(() => 'tested')]),
  )
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [
    row(['engine', 'transport', ...heads]),
    `|${'---|'.repeat(heads.length + 2)}`,
    ...rows.map(row),
  ].join('\n')
}

export const authorityIn = (operator: Operator): string =>
  join(operator.directory, '.muster/alpha/authority.crt')
