import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { installed } from '../../lab/support/requirements.ts'
import { writtenPackage } from './debBundle.ts'

describe('the Debian package of a bundle', () => {
  it.skipIf(!installed('lintian'))('has no error and no warning for lintian (needs lintian)', () => {
    const found = spawnSync('lintian', ['--allow-root', '--fail-on', 'error,warning', writtenPackage()])
    expect(found.stdout.toString()).toBe('')
    expect(found.status).toBe(0)
  })
})
