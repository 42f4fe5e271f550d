import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openCluster } from '../../src/commands/openCluster.ts'
import { commandContext } from '../config/commandContext.ts'
import { good } from '../config/loadText.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

async function open(text: string, acting: boolean): Promise<{ opened: boolean; err: string }> {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'muster.yaml'), text)
  const { context, err } = commandContext({ cwd })
  const result = await openCluster({ context, files: [], set: [], acting })
  return { opened: typeof result !== 'number', err: err() }
}

describe('findings that comments silence', () => {
  it('are not shown before a command runs', async () => {
    const unused = `${good}  db2: { address: 10.0.0.12 }`
    expect((await open(`${unused}\n`, true)).err).toContain('unused-host')
    expect(await open(`${unused} # muster-ignore: unused-host spare\n`, true)).toEqual({
      opened: true,
      err: '',
    })
  })

  it('still stop a command that could not do what the file asks for', async () => {
    const text = good.replace(
      'defaults:\n',
      'ssh:\n  # muster-ignore: option-not-available a later version will\n  config: ssh_config\ndefaults:\n',
    )
    expect(await open(text, false)).toEqual({ opened: true, err: '' })
    const acting = await open(text, true)
    expect(acting.opened).toBe(false)
    expect(acting.err).toContain('error option-not-available')
    expect(acting.err).toMatch(/\n1 error\. More about each: muster explain CODE\n$/)
  })
})
