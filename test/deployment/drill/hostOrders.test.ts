import { describe, expect, it } from 'vitest'
import { type DrillHost, orders, writeRows } from '../../../src/deployment/drill/hostOrders.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { hostConfig } from '../../support/deploymentValues.ts'
import { fakeTransport, type ToldResult } from '../../support/fakeTransport.ts'

const host = hostConfig({ name: 'db1', installDirectory: "/srv/o'muster" })

/** A host that answers each order like this. */
function drillHost(result: Partial<ToldResult>, uid = 0) {
  let given = ''
  const transport = fakeTransport({
    expect: [
      {
        script: 'drill --settings',
        result: (_script, { stdin }) => {
          given = stdin instanceof Secret ? stdin.reveal() : ''
          return result
        },
      },
    ],
  })
  const reached = { host, transport, facts: { uid } } as unknown as DrillHost
  return { reached, transport, given: () => given }
}

describe('an order of a drill', () => {
  it('goes to standard input, and only the path of the settings to a shell', async () => {
    const { reached, transport, given } = drillHost({ stdout: '[[],[],[],[]]' })
    await orders.read(reached)
    expect(JSON.parse(given())).toEqual({ do: 'read' })
    expect(transport.scripts.join()).toContain("drill --settings '/srv/o'\\''muster/share/manager.json'")
  })

  it('gets the password of the account as a secret', async () => {
    const password = 'a%b\\c"d$e~f0123456789'
    const got = await orders.prepare(drillHost({ stdout: JSON.stringify({ password }) }).reached)
    expect(got.reveal()).toBe(password)
    expect(`${got}`).toBe('[redacted]')
  })

  it.each([
    ['empty', ''],
    ['of two lines', 'aaaaaaaaaaaaaaaa\nb'],
    ['without an end', 'a'.repeat(256)],
  ])('gets no password that is %s', async (_what, password) => {
    const { reached } = drillHost({ stdout: JSON.stringify({ password }) })
    await expect(orders.prepare(reached)).rejects.toThrow('not that of a drill')
  })

  it('is not given to a host whose login is not root', async () => {
    const { reached, transport } = drillHost({}, 1000)
    await expect(orders.heal(reached)).rejects.toMatchObject({
      code: 'not-drilled',
      message: 'its login is not root',
    })
    expect(transport.scripts).toEqual([])
  })

  it('fails with the words of the host, in printable text and bounded', async () => {
    const stderr = `muster-api: it is \u001b[2Jthe reason\n${'x'.repeat(100_000)}`
    const error: unknown = await orders
      .heal(drillHost({ code: 1, stderr }).reached)
      .catch((it: unknown) => it)
    const { message } = error as Error
    expect(message).toMatch(/^it is \\x1b\[2Jthe reason/)
    expect(message.length).toBeLessThan(10_000)
  })

  it('names the upgrade where the release of the host knows no drill', async () => {
    const { reached } = drillHost({ code: 3, stderr: "muster-api: no command is named 'drill'" })
    await expect(orders.heal(reached)).rejects.toMatchObject({ fix: 'Upgrade it: `muster upgrade`.' })
  })

  it.each([
    ['nothing', ''],
    ['no JSON', 'hello'],
    ['too few writers', '[[],[]]'],
    ['a row of no number', '[[["1","2"]],[],[],[]]'],
    ['more rows than there can be', '[[[1,99999999]],[],[],[]]'],
  ])('refuses rows that are %s', async (_what, stdout) => {
    await expect(orders.read(drillHost({ stdout }).reached)).rejects.toThrow('not that of a drill')
  })

  it.each([
    ['the same rows again and again', '[[[1,20000],[1,20000]],[],[],[]]'],
    ['an end before its begin', '[[[9,3]],[],[],[]]'],
  ])('refuses rows with %s, which would cost memory', async (_what, stdout) => {
    await expect(orders.read(drillHost({ stdout }).reached)).rejects.toThrow('its rows are in no order')
  })

  it('gets the words against a fault as one printable line', async () => {
    const sight = { ledger: 'none', database: 'mysql', refusal: 'why\n\u001b[31mfake' }
    const { reached } = drillHost({ stdout: JSON.stringify(sight) })
    expect((await orders.look(reached, { fault: 'cut', others: [] })).refusal).toBe('why / \\x1b[31mfake')
  })
})

describe('the writers of a drill', () => {
  it('report rows that are as they have to be, and end with the words of their program', async () => {
    const lines: unknown[] = []
    let ran = ''
    const good = { writer: 0, row: 1, begin: 0, end: 5 }
    const sent = [good, { ...good, writer: 4 }, { ...good, row: 20_001 }, { ...good, more: 1 }, 'x']
    const transport = {
      ...fakeTransport({}),
      follow: async (script: string, { onOutput }: { readonly onOutput: (bytes: Buffer) => void }) => {
        ran = script
        onOutput(Buffer.from(sent.map((line) => `${JSON.stringify(line)}\n\n`).join('')))
        return { code: 1, stderr: { raw: () => 'muster-api: the connector leads nowhere' } }
      },
    }
    const { reached } = drillHost({})
    await expect(
      writeRows(reached, {
        transport: transport as unknown as Parameters<typeof writeRows>[1]['transport'],
        password: new Secret('0123456789abcdef0123456789abcdef'),
        onLine: (line) => lines.push(line),
        signal: new AbortController().signal,
      }),
    ).rejects.toThrow('the connector leads nowhere')
    expect(lines).toEqual([good])
    expect(ran).toContain("drill --settings '/srv/o'\\''muster/share/connector.json'")
  })
})
