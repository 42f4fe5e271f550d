import { jsonLineOf } from '../../base/json.ts'
import { printable } from '../../base/printable.ts'
import { counted } from '../../base/words.ts'
import { wrap } from '../../base/wrapping.ts'
import type { ExecOutput, ExecResult } from '../../deployment/execOnHost.ts'
import { paint } from '../paint.ts'

/** Result of a program on one host. */
export type HostExec = { readonly host: string; readonly result: ExecResult }

/** Writes the output of each host; hosts with equal exit code and output are merged. */
export function execText(
  hosts: readonly HostExec[],
  { colour, width }: { readonly colour: boolean; readonly width: number },
): string {
  const { bold, dim, green, red, yellow } = paint(colour)
  const groups = new Map<string, { readonly names: string[]; readonly result: ExecResult }>()
  for (const { host, result } of hosts) {
    const key = JSON.stringify(result)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { names: [host], result })
    else group.names.push(host)
  }
  const linesOf = ({ text, cut }: ExecOutput, mark: string): readonly string[] => {
    const lines = text === '' ? [] : printable(text).replace(/\n$/, '').split('\n')
    const rest = cut === 0 ? [] : [dim(`  ${mark} … and ${counted(cut, 'byte')} more`)]
    return [...lines.map((line) => `  ${mark} ${line}`), ...rest]
  }
  return [...groups.values()]
    .flatMap(({ names, result: { code, stdout, stderr } }) => {
      const tint = code === 0 ? green : red
      const title = wrap(names.join(', '), { width: width - 'exit 255'.length - 2, first: '', rest: '' })
      return [
        `${title.map(bold).join('\n')}  ${tint(`exit ${code}`)}`,
        ...linesOf(stdout, '|'),
        ...linesOf(stderr, '!').map(yellow),
      ]
    })
    .map((line) => `${line}\n`)
    .join('')
}

/** Writes one line of JSON per host. */
export const execJson = (hosts: readonly HostExec[]): string =>
  hosts
    .map(({ host, result: { code, stdout, stderr } }) => {
      const cut = { stdout: stdout.cut, stderr: stderr.cut }
      return jsonLineOf({ host, code, stdout: stdout.text, stderr: stderr.text, cut })
    })
    .join('')
