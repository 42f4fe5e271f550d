import { expect, it } from 'vitest'
import { foldedOutput } from '../../src/cli/terminal.ts'

it('a folded output wraps lines between words on a terminal, and keeps them whole in a log', () => {
  const long = `error: ${'word '.repeat(10)}end`
  for (const isTTY of [true, false]) {
    const printed: string[] = []
    const output = foldedOutput({ write: (text) => printed.push(text), isTTY, columns: 40 })
    output.write(`${long}\n`)
    // What goes on a line that was begun stays as it is.
    output.write('Go on? ')
    output.write(`${long}\n`)
    output.writeFile?.(`${long}\n`)
    const [first = '', ...others] = printed
    expect(others).toEqual(['Go on? ', `${long}\n`, `${long}\n`])
    expect(first.split('\n').map((line) => line.length)).toEqual(isTTY ? [36, 25, 0] : [60, 0])
  }
})
