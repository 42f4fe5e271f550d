import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { applyBundle } from '../../src/apply/applyBundle.ts'
import { sha256 } from '../../src/base/sha256.ts'
import { manifestText } from '../../src/deployment/manifest.ts'
import { assumedFacts, renderedConfig } from '../../src/deployment/render/assumedFacts.ts'
import { describeBundle } from '../../src/deployment/render/bundleDescription.ts'
import { renderHost } from '../../src/deployment/render/renderedHost.ts'
import { commandContext } from '../config/commandContext.ts'
import { targetOf } from '../deployment/steps/target.ts'
import { hostConfig } from '../support/deploymentValues.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

const isRoot = process.getuid?.() === 0

const ofBeta = { version: 1, cluster: 'beta', host: 'x1' } as const

/** Runs the program of a bundle without a machine-id, whose install-directory holds an installation. */
async function applyOver(manifest: Parameters<typeof manifestText>[0], ...words: string[]) {
  const [folder, installDirectory] = [temporaryFolder(), temporaryFolder()]
  const host = hostConfig({ installDirectory })
  const rendered = renderHost(targetOf({ host: renderedConfig(host), facts: assumedFacts(host, 'x64') }))
  const of = { muster: '1.2.3', now: new Date(0), machineId: undefined }
  const description = JSON.stringify(describeBundle(rendered, of))
  writeFileSync(join(folder, 'bundle.json'), description)
  writeFileSync(join(folder, 'SHA256SUMS'), `${sha256(description)}  bundle.json\n`)
  mkdirSync(join(installDirectory, 'share'))
  writeFileSync(join(installDirectory, 'share/installation.json'), manifestText(manifest))
  const { context, out, err } = commandContext({ env: process.env, now: () => new Date() })
  const code = await applyBundle(context, [folder, ...words, '--check'])
  return { code, stdout: out(), stderr: err() }
}

describe.skipIf(!isRoot)(
  'the program of a bundle over the installation of another cluster (needs root)',
  () => {
    it('refuses to change it', async () => {
      const refused = await applyOver(ofBeta)
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('[other-installation]') })
    })

    it('removes nothing by a bundle whose sums are not those of --sums', async () => {
      const refused = await applyOver(ofBeta, '--uninstall', '--sums', 'f'.repeat(64))
      expect(refused).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining('[bundle-changed]'),
      })
    })

    it('has nothing to remove, so a package that was refused can be removed', async () => {
      const { code, stdout, stderr } = await applyOver(ofBeta, '--uninstall')
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toContain('nothing to do')
      expect(stdout).toContain('holds the installation of host x1 of cluster beta; it stays')
    })
  },
)

describe.skipIf(!isRoot)('the program of a bundle on a copy of the disk of its host (needs root)', () => {
  const copied = { version: 1, cluster: 'alpha', host: 'db1', machineId: 'f'.repeat(32) } as const

  it('refuses to change the installation', async () => {
    const refused = await applyOver(copied)
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('[other-machine]') })
  })

  it('leaves the installation when it removes', async () => {
    const { code, stdout } = await applyOver(copied, '--uninstall')
    expect(code).toBe(0)
    expect(stdout).toContain('db1 is not the machine that was installed')
    expect(stdout).toContain('nothing to do')
  })
})
