import { type CompletionRequest, isPlain, noValues, type Sources, words } from '../cli/completion/values.ts'
import { components } from '../contracts/component.ts'

/** Clusters that muster recorded for tapi. */
async function recorded({ context }: CompletionRequest) {
  const [{ readRegistry }, { registryDirectory }] = await Promise.all([
    import('../client/registry.ts'),
    import('../client/registry.ts'),
  ])
  return readRegistry(registryDirectory(context.env))
}

/** Sources of the values that commands of tapi take. */
export const completionSources: Sources = {
  component: () => words(components),
  'tapi --host': async (asked) =>
    words((await recorded(asked)).flatMap(({ hosts }) => hosts.map(({ name }) => name)).filter(isPlain)),
  'tapi --cluster': async (asked) =>
    words((await recorded(asked)).map(({ cluster }) => cluster).filter(isPlain)),
  'tapi get path': noValues,
  'tapi post path': noValues,
}
