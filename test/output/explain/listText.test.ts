import { describe, expect, it } from 'vitest'
import { allOptions } from '../../../src/config/settings/options.ts'
import { catalogue } from '../../../src/diagnostics/catalogue.ts'
import { layoutFor } from '../../../src/output/explain/layout.ts'
import { listMarkdown } from '../../../src/output/explain/listMarkdown.ts'
import { listText } from '../../../src/output/explain/listText.ts'

const at = (width: number, colour = false): readonly string[] =>
  listText(layoutFor({ width, colour })).split('\n')

/** The part of a list from one group to the next. */
const groupOf = (lines: readonly string[], title: string): string => {
  const start = lines.indexOf(title)
  return lines.slice(start, lines.indexOf('', start)).join('\n')
}

describe('the list of everything', () => {
  it('has every code and every option once, at the start of a line', () => {
    const names = at(100).flatMap((line) => /^ {2}(\S+)/.exec(line)?.[1] ?? [])
    for (const code of Object.keys(catalogue)) expect(names.filter((name) => name === code)).toEqual([code])
    for (const { name } of allOptions) expect(names).toContain(name)
  })

  it('stands in columns where there is room', () => {
    expect(groupOf(at(100), 'Ports')).toBe(`Ports
  port-clash          error    A port used twice on a host
  local-port-clash    error    Two local hosts on the same ports
  privileged-port     error    A port below 1024 without the right to open it
  open-without-admin  error    An API open to the network without an administrator`)
    expect(groupOf(at(100), 'Options: Users')).toBe(`Options: Users
  rest-api-admin-user  Administrator of every API, created by install.
  rest-api-admin-pass  Password of the administrator. Without it the one in the state directory is
                       used; if no host has that user yet, one is generated, kept there and shown
                       once.
  rest-api-users       Additional users of every API, by name, with the same rights as the
                       administrator. A user without a password has the one in the state directory;
                       if no host has that user yet, one is generated, kept there and shown once. A
                       service or a host that sets this option has only these users.`)
  })

  it('puts the text below the name where there is none', () => {
    expect(groupOf(at(50), 'Ports')).toBe(`Ports
  port-clash  error
      A port used twice on a host
  local-port-clash  error
      Two local hosts on the same ports
  privileged-port  error
      A port below 1024 without the right to open
      it
  open-without-admin  error
      An API open to the network without an
      administrator`)
  })

  it.each([48, 60, 80, 120])('fits %i columns', (width) => {
    expect(Math.max(...at(width).map((line) => [...line].length))).toBeLessThanOrEqual(width)
  })

  it('is the same with colour', () => {
    const painted = at(100, true).join('\n')
    expect(painted).toContain('\u001b[33mwarning\u001b[39m')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
    const unpainted = painted.replaceAll(/\u001b\[\d+m/g, '')
    expect(unpainted.replaceAll('`', '')).toBe(at(100).join('\n').replaceAll('`', ''))
  })

  it('is a list of Markdown', () => {
    const text = listMarkdown()
    expect(text).toContain('\n- `port-clash` (error): A port used twice on a host\n')
    expect(text).toContain('\n- `log-level`: How much the services log.\n')
    expect(text.match(/^- `/gm)?.length).toBeGreaterThan(Object.keys(catalogue).length + allOptions.length)
  })
})
