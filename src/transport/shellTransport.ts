import type { ShellStreams } from './exchange.ts'
import type { Chain, FramedShell } from './framedShell.ts'
import type { Transport } from './transport.ts'
import { upload } from './upload.ts'

/** Milliseconds that a shell has to end by itself when its input ends. */
const farewell = 1000

/** The transport over a shell that is ready. `close` may be called twice and at any time. */
export function shellTransport(options: {
  readonly host: string
  readonly streams: ShellStreams
  readonly shell: FramedShell
  readonly random: (bytes: number) => Buffer
  readonly dial?: Transport['dial']
}): Transport {
  const { host, streams, shell, random, dial } = options
  const through = (chain: Chain | undefined): Transport => ({
    host,
    run: (script, runOptions) => shell.run(script, runOptions, chain),
    upload: (...files) => upload({ host, shell, chain, files, random }),
    chain: () => through(chain ?? shell.chain()),
    ...(dial === undefined ? {} : { dial }),
    close: async () => {
      streams.stdin.end()
      const timer = setTimeout(streams.cut, farewell)
      await streams.gone
      clearTimeout(timer)
    },
  })
  return through(undefined)
}
