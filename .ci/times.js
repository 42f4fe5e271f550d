// Lists the places where tests depend on time: `npm run test:times`. Each is removed, or says why it is needed, in a
// comment on its line or on the one above it: `// time: REASON`. Fails if one does neither.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Milliseconds for which every suite waits: what has not come by then never comes. */
const suiteLimit = 25_000
/** Files that measure times on purpose, the lab, whose hosts really boot, hang and switch, and the samples of the test. */
const measuring = /^(?:(?:bench|soak|lab)\/|times\.test\.ts$)/
const folder = process.argv[2] ?? 'test'

const waiting = /(?:^|\.)(?:poll|waitFor\w*|waitUntil|eventually)$/

/** The functions whose calls a place of a text is in, from the innermost. */
function callsAround(text, index) {
  const calls = []
  let closed = 0
  for (let at = index - 1; at >= 0 && index - at < 2000 && calls.length < 3; at -= 1) {
    if (text[at] === ')') closed += 1
    if (text[at] !== '(') continue
    if (closed > 0) closed -= 1
    else calls.push(/[\w.]*$/.exec(text.slice(Math.max(0, at - 60), at))[0])
  }
  return calls
}

const number = (text) => Number((text ?? '').replaceAll('_', ''))

const rules = [
  {
    what: 'waits for a time',
    pattern: /\bsetTimeout\((?:resolve|done|ready|go)\b(?:, (\d[\d_]*))?/g,
    // A longer one only keeps a process alive until it is ended.
    applies: (match) => number(match[1]) < suiteLimit,
  },
  {
    what: 'measures elapsed time',
    pattern: /\b(?:performance\.now\(\)|expect\(Date\.now\(\))\)? - .*/g,
    applies: ([rest]) => number(/\.toBeLessThan\((\d[\d_]*)\)/.exec(rest)?.[1]) < suiteLimit,
  },
  {
    what: 'compares with the time of day',
    pattern: /[<>]=? Date\.now\(\)|Date\.now\(\) [<>]|\.to\w+\(Date\.now\(/g,
  },
  {
    what: `waits less than the suite's ${suiteLimit / 1000} s`,
    pattern: /\btimeout: (\d[\d_]*)\b/g,
    applies: (match, text) =>
      number(match[1]) < suiteLimit && callsAround(text, match.index).some((call) => waiting.test(call)),
  },
  { what: 'listens on a fixed port', pattern: /\.listen\((?:\{ port: )?[1-9]\d*/g },
  {
    what: 'uses a folder that others use',
    pattern: /\b(?:write|append|mkdir|rm|open|create|rename|unlink|chmod)\w*\(\s*['"`]\/(?:tmp|var\/tmp)\//g,
  },
]

/** A rule for the name under which a file imports the `setTimeout` that returns a promise. */
function pauses(text) {
  const names = /import \{([^}]*)\} from 'node:timers\/promises'/.exec(text)?.[1]
  const name = /\bsetTimeout(?: as (\w+))?/.exec(names ?? '')
  if (!name) return []
  return [{ what: 'waits for a time', pattern: new RegExp(`(?:await|=) ${name[1] ?? name[0]}\\(`, 'g') }]
}

function placesOf(file) {
  const text = readFileSync(join(folder, file), 'utf8')
  const lines = text.split('\n')
  const found = [...rules, ...pauses(text)].flatMap(({ what, pattern, applies = () => true }) =>
    [...text.matchAll(pattern)]
      .filter((match) => applies(match, text))
      .map((match) => ({ what, line: text.slice(0, match.index).split('\n').length })),
  )
  return found
    .filter(({ line }) => !/^\s*(?:\/\/|\*|\/\*)/.test(lines[line - 1]))
    .sort((a, b) => a.line - b.line)
    .map(({ what, line }) => {
      const reason = [line, line - 1]
        .map((number) => /\/\/ time: (\S.*)/.exec(lines[number - 1] ?? '')?.[1])
        .find((it) => it !== undefined)
      return { place: `${folder}/${file}:${line}`, what, reason }
    })
}

const places = readdirSync(folder, { recursive: true })
  .filter((file) => file.endsWith('.ts') && !measuring.test(file))
  .sort()
  .flatMap(placesOf)
const open = places.filter(({ reason }) => reason === undefined)

for (const { place, what, reason } of places)
  process.stdout.write(`${place}: ${what}${reason === undefined ? '' : `, allowed: ${reason}`}\n`)
process.stdout.write(`${places.length} places depend on time, ${open.length} without a reason\n`)
if (open.length > 0) {
  process.stdout.write("Wait for an event, give a clock or use the suite's limit, or add // time: REASON.\n")
  process.exitCode = 1
}
