import { quote } from '../base/shellWords.ts'

/** Says where a plan is kept, and the command that carries it out. Values of --set may be secrets and are left out. */
export function keptPlanText(options: {
  readonly out: string
  readonly files: readonly string[]
  readonly set: readonly string[]
  readonly runtimeFile: string | undefined
  readonly replaced: readonly string[]
}): string {
  const { out, files, set, runtimeFile } = options
  const replaced = options.replaced.flatMap((host) => ['--replaced', host])
  const runtime = runtimeFile === undefined ? [] : ['--runtime-file', runtimeFile]
  const words = ['muster', 'install', '--plan', out, ...runtime, ...replaced, ...files].map(quote)
  const same = set.length === 0 ? '' : ' and the same --set'
  return `\nThe plan is saved in ${out}. Apply it with this command${same}:\n  ${words.join(' ')}\n`
}
