import { describe, expect, it } from 'vitest'
import { generatePassword } from '../../src/certificates/password.ts'
import { stateExport, stateImport } from '../../src/commands/state.ts'
import { type ClusterState, emptyState, withUser } from '../../src/deployment/state/clusterState.ts'
import { readState, saveState } from '../../src/deployment/state/openState.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { exportCommandDue, reportExportDue } from '../../src/session/exportDue.ts'
import type { SelectedCluster } from '../../src/session/selectTargets.ts'
import { commandContext } from '../config/commandContext.ts'
import { hostConfig } from '../support/deploymentValues.ts'
import { madeState } from '../support/madeState.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

const now = new Date('2026-03-10T12:00:00Z')
const passphrase = new Secret('five random words of text')
const state = await madeState({ hosts: [{ name: 'db1' }], now })
const command = 'muster state export --out alpha.state alpha.yaml'

/** A cluster whose state is in a folder of its own. */
async function installed(kept: ClusterState = state) {
  const directory = temporaryFolder()
  const { context } = commandContext({ cwd: directory })
  const place = { context, directory, cluster: 'alpha' }
  await saveState({ ...place, before: emptyState, after: kept })
  const config = { ...place, hosts: [hostConfig()], excluded: [] } as unknown as SelectedCluster
  const due = async (
    changes: Partial<SelectedCluster> = {},
    env: Readonly<Record<string, string>> = {},
  ): Promise<string | undefined> => {
    const read = await readState(place)
    return exportCommandDue({
      context: { ...context, env },
      config: { ...config, ...changes },
      files: ['alpha.yaml'],
      state: read?.state ?? emptyState,
    })
  }
  return { place, config, due }
}

describe('the reminder to export the state', () => {
  it('comes until there is an archive, and again once its secrets are others', async () => {
    const { place, due } = await installed()
    expect(await due()).toBe(command)
    expect(await stateExport({ ...place, out: 'alpha.state', passphrase })).toBe(0)
    expect(await due()).toBeUndefined()
    const password = generatePassword()
    const after = withUser(state, 'admin', { salt: Buffer.alloc(16, 1), password })
    await saveState({ ...place, before: state, after })
    expect(await due()).toBe(command)
  })

  it('does not come for new certificates and machines, nor where the state was imported', async () => {
    const { place, due } = await installed()
    expect(await stateExport({ ...place, out: 'alpha.state', passphrase })).toBe(0)
    const hosts = new Map([...state.hosts, ...[...state.hosts.values()].map((one) => ['db2', one] as const)])
    const after = { ...state, hosts, machines: new Map([['db2', '0'.repeat(32)]]) }
    await saveState({ ...place, before: state, after })
    expect(await due()).toBeUndefined()
    const successor = await installed(emptyState)
    const from = `${place.directory}/alpha.state`
    expect(await stateImport({ ...successor.place, from, passphrase })).toBe(0)
    expect(await successor.due()).toBeUndefined()
  })

  it('does not come in CI, for a part of the hosts, for this machine alone, and without an authority', async () => {
    const { due } = await installed()
    expect(await due({}, { CI: 'true' })).toBeUndefined()
    expect(await due({ excluded: [hostConfig({ name: 'db2' })] })).toBeUndefined()
    expect(await due({ hosts: [hostConfig({ connection: 'local' })] })).toBeUndefined()
    expect(await (await installed(emptyState)).due()).toBeUndefined()
  })

  it('is one line of status, for a person at a terminal', async () => {
    const { config } = await installed()
    const said = async (isTTY: boolean, verbosity?: 'quiet'): Promise<string> => {
      let text = ''
      const output = { write: (line: string) => (text += line), isTTY }
      const context = { env: {}, stdout: output, stderr: output, verbosity }
      await reportExportDue({ context, config, files: ['alpha.yaml'] })
      return text.replace(config.directory, '<folder>')
    }
    expect(await said(true)).toBe(
      `note: <folder>/.muster/alpha is the only copy of the keys of alpha; to make another: ${command}\n`,
    )
    expect(await said(false)).toBe('')
    expect(await said(true, 'quiet')).toBe('')
  })
})
