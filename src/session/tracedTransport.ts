import type { Transport } from '../transport/transport.ts'

/** Returns a transport that reports each round trip with its size and time; never a script, an input or an output. */
export function tracedTransport(transport: Transport, report: (line: string) => void): Transport {
  const { host, follow, chain, dial } = transport
  const timed = async <Result>(what: string, work: Promise<Result>, end: (result: Result) => string) => {
    const began = performance.now()
    const told = (result: string): void => {
      report(`${host}: ${what}: ${result} (${((performance.now() - began) / 1000).toFixed(2)} s)\n`)
    }
    try {
      const result = await work
      told(end(result))
      return result
    } catch (error) {
      told('failed')
      throw error
    }
  }
  return {
    host,
    run: (script, options) =>
      timed(
        `script of ${Buffer.byteLength(script)} bytes`,
        transport.run(script, options),
        ({ code }) => `exit code ${code}`,
      ),
    upload: (...files) =>
      timed(
        `upload of ${files.map(({ path }) => path).join(', ')}`,
        transport.upload(...files),
        () => 'done',
      ),
    ...(follow && {
      follow: (script, options) =>
        timed(
          `script of ${Buffer.byteLength(script)} bytes`,
          follow.call(transport, script, options),
          ({ code }) => `exit code ${code}`,
        ),
    }),
    ...(chain && { chain: () => tracedTransport(chain.call(transport), report) }),
    ...(dial && { dial: (place) => dial.call(transport, place) }),
    close: () => transport.close(),
  }
}
