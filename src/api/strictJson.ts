import { ProblemError } from './problemError.ts'

const refuse = (detail: string): ProblemError => new ProblemError({ code: 'malformed-json', detail })

/**
 * Refuses what JSON.parse takes in silence, although two readers may understand it differently: a key twice
 * in one object, and `__proto__`. The text is well-formed JSON already.
 */
function refuseAmbiguousKeys(text: string): void {
  const open: (Set<string> | undefined)[] = []
  for (const match of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[{}[\]]/g)) {
    const [token, colon] = match
    if (token === '{') open.push(new Set())
    else if (token === '[') open.push(undefined)
    else if (token === '}' || token === ']') open.pop()
    else if (colon !== undefined) {
      const key: string = JSON.parse(token.slice(0, -colon.length))
      const keys = open.at(-1)
      if (key === '__proto__') throw refuse("The body has the key '__proto__', which is refused.")
      if (keys?.has(key)) throw refuse(`The body has the key ${JSON.stringify(key)} twice in one object.`)
      keys?.add(key)
    }
  }
}

/** Reads a JSON body in UTF-8. Throws a `malformed-json` problem that says what is wrong, never with a value. */
export function parseStrictJson(body: Buffer): unknown {
  if (body.length === 0) throw refuse('The body is empty, and this call needs one.')
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    throw refuse('The body is not UTF-8.')
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    // The message quotes the text around the fault, which may be a password: only the place is told.
    const place = /at position \d+/.exec(error instanceof Error ? error.message : '')?.[0]
    throw refuse(`The body is not JSON${place ? `: the fault is ${place}` : ''}.`)
  }
  refuseAmbiguousKeys(text)
  return value
}
