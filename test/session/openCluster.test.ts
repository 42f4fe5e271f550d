import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openCluster } from '../../src/session/openCluster.ts'
import { commandContext } from '../config/commandContext.ts'
import { good } from '../config/loadText.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

async function open(text: string): Promise<{ opened: boolean; err: string }> {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'muster.yaml'), text)
  const { context, err } = commandContext({ cwd })
  const result = await openCluster({ context, files: [], set: [] })
  return { opened: typeof result !== 'number', err: err() }
}

describe('findings that comments silence', () => {
  it('are not shown before a command runs', async () => {
    const unused = `${good}  db2: { address: 10.0.0.12 }`
    expect((await open(`${unused}\n`)).err).toContain('unused-host')
    expect(await open(`${unused} # muster-ignore: unused-host spare\n`)).toEqual({
      opened: true,
      err: '',
    })
  })
})
