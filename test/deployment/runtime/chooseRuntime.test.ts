import { describe, expect, it } from 'vitest'
import { chooseRuntime } from '../../../src/deployment/runtime/chooseRuntime.ts'
import { pinnedRuntime } from '../../../src/deployment/runtime/pinnedRuntime.ts'
import { hostConfig, hostFacts } from '../../support/deploymentValues.ts'

const ownNode = { path: '/here/node', version: 'v20.19.0' }
const node = { path: '/usr/bin/node', version: 'v22.1.0', rootOwned: true }
const pinned = {
  kind: 'sent',
  id: `node-${pinnedRuntime.version}-${pinnedRuntime.sha256.x64.slice(0, 12)}`,
  architecture: 'x64',
  sha256: pinnedRuntime.sha256.x64,
  version: `v${pinnedRuntime.version}`,
}

describe('chooseRuntime', () => {
  it("uses muster's own Node.js on this machine", () => {
    const host = hostConfig({ connection: 'local' })
    expect(chooseRuntime({ host, facts: hostFacts(), ownNode })).toEqual({ kind: 'host', ...ownNode })
  })

  it("uses the host's own Node.js if it is maintained and owned by root", () => {
    const choice = chooseRuntime({ host: hostConfig(), facts: hostFacts({ node }), ownNode })
    expect(choice).toEqual({ kind: 'host', path: '/usr/bin/node', version: 'v22.1.0' })
  })

  it.each([
    ['there is none', hostFacts()],
    ['its line is over', hostFacts({ node: { ...node, version: 'v20.20.2' } })],
    ['others may change it', hostFacts({ node: { ...node, rootOwned: false } })],
  ])('sends the pinned runtime if %s', (_, facts) => {
    expect(chooseRuntime({ host: hostConfig(), facts, ownNode })).toEqual(pinned)
  })

  it('sends the arm64 runtime to an arm64 host', () => {
    const choice = chooseRuntime({ host: hostConfig(), facts: hostFacts({ machine: 'aarch64' }), ownNode })
    expect(choice).toMatchObject({ architecture: 'arm64', sha256: pinnedRuntime.sha256.arm64 })
  })

  it('sends a runtime with runtime: upload even if the host has one', () => {
    const host = hostConfig({ runtime: 'upload' })
    expect(chooseRuntime({ host, facts: hostFacts({ node }), ownNode })).toEqual(pinned)
  })

  it('rejects an unsuitable Node.js with runtime: host', () => {
    const host = hostConfig({ runtime: 'host' })
    const facts = hostFacts({ node: { ...node, rootOwned: false } })
    expect(() => chooseRuntime({ host, facts, ownNode })).toThrow(
      'runtime is host, but users other than root can change its /usr/bin/node',
    )
  })

  describe("with muster's single executable", () => {
    const single = { sha256: 'cd'.repeat(32), architecture: 'x64' as const }
    const own = { path: '/home/me/muster', version: 'v24.1.0', single }
    const itself = { kind: 'sent', id: 'node-24.1.0-cdcdcdcdcdcd', ...single, version: 'v24.1.0' }
    const arm = hostFacts({ machine: 'aarch64' })

    it('sends the file itself, also to this machine, whose user may move it', () => {
      for (const connection of ['ssh', 'local'] as const) {
        expect(chooseRuntime({ host: hostConfig({ connection }), facts: hostFacts(), ownNode: own })).toEqual(
          itself,
        )
      }
    })

    it("keeps to the host's own Node.js where there is a fit one", () => {
      const choice = chooseRuntime({ host: hostConfig(), facts: hostFacts({ node }), ownNode: own })
      expect(choice).toEqual({ kind: 'host', path: '/usr/bin/node', version: 'v22.1.0' })
    })

    it('sends a --runtime-file to hosts of its processor and itself to the others', () => {
      const file = { sha256: 'ab'.repeat(32), architecture: 'arm64' as const }
      expect(chooseRuntime({ host: hostConfig(), facts: hostFacts(), ownNode: own, file })).toEqual(itself)
      expect(chooseRuntime({ host: hostConfig(), facts: arm, ownNode: own, file })).toMatchObject(file)
    })

    it('sends the pinned Node.js to a host of another processor', () => {
      const choice = chooseRuntime({ host: hostConfig(), facts: arm, ownNode: own })
      expect(choice).toMatchObject({ architecture: 'arm64', sha256: pinnedRuntime.sha256.arm64 })
    })
  })

  it('rejects a --runtime-file for another processor', () => {
    const file = { sha256: 'ab'.repeat(32), architecture: 'arm64' as const }
    expect(() => chooseRuntime({ host: hostConfig(), facts: hostFacts(), ownNode, file })).toThrow(
      'the --runtime-file is for arm64, but the host is x64',
    )
  })
})
