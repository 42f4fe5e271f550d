import { mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CommandContext } from '../../../src/cli/context.ts'
import { muster } from '../../../src/commands/muster.ts'
import { type ClusterState, emptyState } from '../../../src/deployment/state/clusterState.ts'
import { saveState } from '../../../src/deployment/state/openState.ts'
import { commandContext } from '../../config/commandContext.ts'
import { madeState } from '../../support/madeState.ts'

/** A cluster of two hosts in a folder of its own: `alpha.yaml`, and a state with what muster made for both. */
export type CertCluster = {
  readonly folder: string
  readonly state: ClusterState
  path(name: string): string
  cert(
    argv: readonly string[],
    more?: Partial<CommandContext> & { readonly typed?: string },
  ): Promise<{ code: number; stdout: string; stderr: string }>
  remove(): Promise<void>
}

/** Options of the hosts by name, as YAML. */
export function certClusterText(options: { readonly db2?: string } = {}): string {
  return `cluster: alpha
services:
  alpha: { topology: clustered, master: db1, members: [db1, db2], witnesses: [w1] }
hosts:
  db1: { address: 10.0.0.11 }
  db2: { address: 10.0.0.12${options.db2 ?? ''} }
  w1: { address: 10.0.0.13 }
defaults: { rest-api-admin-user: admin, manager-rest-api-address: 0.0.0.0 }
`
}

export async function certCluster(now = new Date()): Promise<CertCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'cert-'))
  writeFileSync(join(folder, 'alpha.yaml'), certClusterText())
  const hosts = [
    { name: 'db1', address: '10.0.0.11' },
    { name: 'db2', address: '10.0.0.12' },
  ]
  const state = await madeState({ hosts, now })
  await saveState({ directory: folder, cluster: 'alpha', before: emptyState, after: state })
  return {
    folder,
    state,
    path: (name) => join(folder, name),
    cert: async ([operation = '', ...argv], more = {}) => {
      const { context, out, err } = commandContext({
        cwd: folder,
        env: { ...process.env, HOME: folder },
        now: () => now,
        ...more,
      })
      const code = await muster({ argv: ['cert', operation, 'alpha.yaml', ...argv], context })
      return { code, stdout: out(), stderr: err() }
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
