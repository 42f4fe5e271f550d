import { describe, expect, it } from 'vitest'
import { HostText } from '../../src/base/hostText.ts'
import { tracedTransport } from '../../src/session/tracedTransport.ts'
import type { Transport } from '../../src/transport/transport.ts'

const empty = new HostText('')

/** A host whose scripts end at once. */
const transport = (more: Partial<Transport> = {}): Transport => ({
  host: 'db1',
  run: async () => ({ code: 0, stdout: empty, stderr: empty }),
  upload: async () => undefined,
  close: async () => undefined,
  ...more,
})

/** Lines that a traced transport reports, without times. */
function traced(of: Transport) {
  const lines: string[] = []
  const made = tracedTransport(of, (line) => lines.push(line.replace(/\([\d.]+ s\)\n$/, '(time)')))
  return { made, lines }
}

describe('a traced transport', () => {
  it('reports each round trip with its size and its end, and nothing of it', async () => {
    const { made, lines } = traced(transport())
    await made.run('echo secret')
    await made.upload({ path: '/etc/secret', content: Buffer.from('secret'), mode: 0o600 })
    expect(lines).toEqual([
      'db1: script of 11 bytes: exit code 0 (time)',
      'db1: upload of /etc/secret: done (time)',
    ])
  })

  it('follows scripts where the other one does', async () => {
    const follow = async () => ({ code: 3, stderr: empty })
    const { made, lines } = traced(transport({ follow }))
    const options = { onOutput: () => undefined, signal: new AbortController().signal }
    expect(await made.follow?.('tail', options)).toMatchObject({ code: 3 })
    expect(lines).toEqual(['db1: script of 4 bytes: exit code 3 (time)'])
    expect(traced(transport()).made.follow).toBeUndefined()
  })

  it('reports a failure, which goes on to the caller', async () => {
    const { made, lines } = traced(
      transport({
        run: async () => {
          throw new Error('gone')
        },
      }),
    )
    await expect(made.run('true')).rejects.toThrow('gone')
    expect(lines).toEqual(['db1: script of 4 bytes: failed (time)'])
  })
})
