/** What a bare server is told: where it listens, what it shows, and the one answer that it gives. */
export type BareAnswer = {
  readonly key: string
  readonly chain: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * A node:https server without any logic: the answer in the file of the first argument, to whatever is asked. It
 * prints its port. It is run as a text of its own, so it uses nothing from around it.
 */
export function bareServer(): void {
  const { readFileSync } = process.getBuiltinModule('node:fs')
  const { createServer } = process.getBuiltinModule('node:https')
  const answer = JSON.parse(readFileSync(process.argv[1] ?? '', 'utf8')) as BareAnswer
  const { key, chain, status, headers, body } = answer
  const server = createServer({ key, cert: chain }, (_request, response) => {
    response.writeHead(status, headers)
    response.end(body)
  })
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`)
  })
}
