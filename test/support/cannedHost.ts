import type { ServerChannel } from 'ssh2'
import type { CallRequest } from '../../src/client/call.ts'

type Frame = { readonly id: string; readonly script: string; readonly data: Buffer }

/** Reads the frames of a shell (src/transport/shellLoop.ts) as they come; `hear` gets each whole one. */
function frameReader(hear: (frame: Frame) => void): (chunk: Buffer) => void {
  let kept: Buffer[] = []
  let length = 0
  /** Bytes without which there is nothing to read. */
  let needed = 1
  return (chunk) => {
    kept.push(chunk)
    length += chunk.length
    while (length >= needed) {
      const bytes = Buffer.concat(kept)
      kept = [bytes]
      const end = bytes.indexOf('\n')
      if (end === -1) {
        needed = length + 1
        return
      }
      const [id = '', script = '', data = ''] = bytes.toString('latin1', 0, end).split(' ')
      const start = end + 1 + Number(script)
      const whole = start + Number(data)
      if (bytes.length < whole) {
        needed = whole
        return
      }
      hear({ id, script: bytes.toString('utf8', end + 1, start), data: bytes.subarray(start, whole) })
      kept = [bytes.subarray(whole)]
      length -= whole
      needed = 1
    }
  }
}

/** What a Debian host says of itself on which nothing is installed; each has a machine-id of its own. Rows begin with the nonce of the script. */
const freshFacts = (number: number, nonce: string): string =>
  [
    `hostname\tdb${number}`,
    `machine-id\t${number.toString(16).padStart(32, '0')}`,
    'kernel\tLinux',
    `machine\t${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}`,
    'os\tDebian GNU/Linux 12 (bookworm)',
    'uid\t0',
    'login\troot',
    'group\troot',
    'systemd\tyes',
    'writable\tyes',
    'free\t50000000',
    'noexec\tno',
    ...['manager', 'connector', 'replicator'].map((component) => `service\t${component}\tabsent\tno\t`),
  ]
    .map((row) => `${nonce}\t${row}\n`)
    .join('')

/** What the call program on a host prints when all is well: the certificate that is demanded is shown. */
export function callResults(requests: readonly Pick<CallRequest, 'id' | 'target'>[]): string {
  const results = requests.map(({ id, target }) => ({
    id,
    status: id.endsWith('-old') ? 401 : 200,
    body: {},
    ...('certificate' in target && { certificate: target.certificate }),
  }))
  return JSON.stringify(results)
}

/** Returns the nonce of a script that reads facts; undefined for another script. */
export const factsNonce = (script: string): string | undefined => /^nonce=([0-9a-f]+)$/m.exec(script)?.[1]

function answerTo({ script, data }: Frame, facts: (nonce: string) => string): string {
  const nonce = factsNonce(script)
  if (nonce !== undefined) return `${script.includes("printf 'taken") ? 'taken\n' : ''}${facts(nonce)}`
  if (script.includes('muster-api.cjs call')) return callResults(JSON.parse(data.toString('utf8')))
  return script.includes('./node --version') ? 'v24.0.0\n' : ''
}

let connected = 0

/**
 * Serves the shell of one session as a host on which every script goes well; no process is started. It answers at once
 * unless `during` calls later; that learns the script. Without `facts`, nothing is installed on it.
 */
export function serveCanned(
  channel: ServerChannel,
  command: string,
  during: (answer: () => void, script: string) => void = (answer) => answer(),
  facts?: (nonce: string) => string,
): void {
  connected += 1
  const number = connected
  const ownFacts = facts ?? ((ofRun: string) => freshFacts(number, ofRun))
  const nonce = /printf "\\n%s\\n" ([0-9a-f]{32});/.exec(command)?.[1]
  if (nonce === undefined) throw new Error(`no shell of ours: ${command}`)
  const say = (out: string, err: string): void => {
    channel.write(out)
    channel.stderr.write(err)
  }
  say(`\n${nonce}\n`, `\n${nonce}\n`)
  channel.on(
    'data',
    frameReader((frame) =>
      during(() => say(`${answerTo(frame, ownFacts)}\n${frame.id} 0\n`, `\n${frame.id}\n`), frame.script),
    ),
  )
  channel.on('error', () => undefined)
  channel.on('end', () => {
    channel.exit(0)
    channel.end()
  })
}
