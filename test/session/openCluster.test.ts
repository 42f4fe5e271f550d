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
  const opened = await openCluster({ context, files: [], set: [] }).then(
    () => true,
    () => false,
  )
  return { opened, err: err() }
}

describe('silenced findings', () => {
  it('are not printed before a command runs', async () => {
    const unused = `${good}  db2: { address: 10.0.0.12 }`
    expect((await open(`${unused}\n`)).err).toContain('unused-host')
    expect(await open(`${unused} # muster-ignore: unused-host spare\n`)).toEqual({
      opened: true,
      err: '',
    })
  })
})

describe('openCluster', () => {
  it('ends the command with success for a shard without a host, and says so', async () => {
    const cwd = temporaryFolder()
    writeFileSync(join(cwd, 'muster.yaml'), good)
    const { context, out, err } = commandContext({ cwd })
    // The shard of db1.
    const targets = (index: number) => ({ hosts: [], services: [], shard: { index, count: 2 } })
    const opened = await openCluster({ context, files: [], set: [], targets: targets(1) })
    expect(opened.config.hosts.map(({ name }) => name)).toEqual(['db1'])
    await expect(openCluster({ context, files: [], set: [], targets: targets(2) })).rejects.toEqual(
      expect.objectContaining({ name: 'ExitError', exitCode: 0 }),
    )
    expect([out(), err()]).toEqual(['', 'nothing to do: shard 2/2 has none of these hosts\n'])
  })

  it.each([
    ['an error', `${good}  db2: [] \n`, 1],
    ['one of them missing', undefined, 3],
  ])('ends the command if the files have %s, after printing the finding', async (_, text, exitCode) => {
    const cwd = temporaryFolder()
    if (text !== undefined) writeFileSync(join(cwd, 'muster.yaml'), text)
    const { context, err } = commandContext({ cwd })
    await expect(openCluster({ context, files: [], set: [] })).rejects.toEqual(
      expect.objectContaining({ name: 'ExitError', exitCode }),
    )
    expect(err()).toContain('error')
  })
})
