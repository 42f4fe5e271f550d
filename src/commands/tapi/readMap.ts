import { resolve } from 'node:path'
import { isObject, parseJson } from '../../base/json.ts'
import type { CommandContext } from '../../cli/context.ts'
import { readInputFile } from '../../cli/readInputFile.ts'
import { readAllInput } from '../../cli/terminalInput.ts'
import { UsageError } from '../../cli/usageError.ts'
import { readEnvelope } from '../../client/envelope.ts'

/** A service without the states that `tapi map show --json` prints: the API refuses a map that holds any. */
function withoutStates(service: unknown): unknown {
  if (!isObject(service) || !Array.isArray(service.datasources)) return service
  const datasources = service.datasources.map((it) => {
    if (!isObject(it)) return it
    const { state: _state, ...source } = it
    return source
  })
  return { ...service, datasources }
}

/**
 * The services of a map in a file, `-` being standard input: what `tapi map show --json` prints, or the payload of it
 * alone. Whether they make a map is the API's to say. Throws a `UsageError`.
 */
export async function readMap(context: CommandContext, file: string): Promise<unknown> {
  const path = resolve(context.cwd, file)
  const text =
    file === '-' ? await readAllInput(context) : (await readInputFile({ path, what: 'The map' })).text
  const body = parseJson(text)
  const payload = readEnvelope(body)?.payload ?? body
  if (isObject(payload) && Array.isArray(payload.services)) return payload.services.map(withoutStates)
  throw new UsageError(
    `${file === '-' ? 'Standard input' : path} contains no services map.`,
    'Write JSON as `tapi map show --json` prints it: {"services":[{"name":…,"datasources":[…]}]}.',
  )
}
