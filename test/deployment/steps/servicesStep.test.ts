import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { servicesStep } from '../../../src/deployment/steps/servicesStep.ts'
import { connectLocal } from '../../../src/transport/local.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'
import { targetOf } from './target.ts'

describe('servicesStep', () => {
  it('fails if the digest of any component cannot be recorded', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'systemctl'), '#!/bin/sh\nexit 0\n')
    chmodSync(join(folder, 'systemctl'), 0o755)
    const root = join(folder, 'muster')
    const at = (component: string): string => join(root, 'share/applied', component)
    // Nobody can write into a folder as into a file, not even root.
    mkdirSync(at('manager'), { recursive: true })
    const target = targetOf({ host: { installDirectory: root } })
    const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` }
    const transport = await connectLocal({ host: 'db1', env })
    try {
      await expect(servicesStep(target).apply(transport, target.facts)).rejects.toMatchObject({
        code: 'step-failed',
        message: expect.stringContaining('applied/manager'),
      })
    } finally {
      await transport.close()
    }
    // Those that could be written are right, so the next run restarts no more than it has to.
    const replicator = target.components.find(({ component }) => component === 'replicator')
    expect(readFileSync(at('replicator'), 'utf8')).toBe(`${replicator?.digest}\n`)
  })
})
