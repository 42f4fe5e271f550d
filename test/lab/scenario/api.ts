import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import type { LabHost } from '../support/labTypes.ts'

const ports = { manager: 8090, connector: 8096, replicator: 8097 } as const

/** The APIs of the lab's hosts as a program of the operator calls them: with the authority, as `admin`. */
export type Apis = {
  /** The payload of a GET; a path below `/api/v2/<component>/`. Rejects where the answer is not 200. */
  readonly get: <Payload>(host: LabHost, component: keyof typeof ports, path: string) => Promise<Payload>
  /** Status and payload of a confirmed POST. */
  readonly post: <Payload>(
    host: LabHost,
    component: keyof typeof ports,
    path: string,
  ) => Promise<{ readonly status: number; readonly payload: Payload }>
}

type Answer = { readonly status: number; readonly payload: unknown }

/** Calls with the certificate of this authority and this password. */
export function apisOf(facts: { readonly authority: string; readonly password: string }): Apis {
  const ca = readFileSync(facts.authority)
  const auth = `admin:${facts.password}`

  const call = (method: string, options: { host: string; port: number; path: string }): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const sent = request({ ...options, method, ca, auth, agent: false, timeout: 10_000 }, (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('error', reject)
        answer.on('end', () => {
          const { payload } = JSON.parse(Buffer.concat(chunks).toString()) as { payload: unknown }
          resolve({ status: answer.statusCode ?? 0, payload })
        })
      })
      sent.on('timeout', () => sent.destroy(new Error(`no answer from ${options.host}:${options.port}`)))
      sent.on('error', reject)
      sent.end()
    })

  const place = (host: LabHost, component: keyof typeof ports, path: string) => ({
    host: host.address,
    port: ports[component],
    path: `/api/v2/${component}/${path}`,
  })

  return {
    get: async <Payload>(host: LabHost, component: keyof typeof ports, path: string) => {
      const { status, payload } = await call('GET', place(host, component, path))
      if (status !== 200) throw new Error(`${host.name} ${path}: ${status} ${JSON.stringify(payload)}`)
      return payload as Payload
    },
    post: async <Payload>(host: LabHost, component: keyof typeof ports, path: string) => {
      const separator = path.includes('?') ? '&' : '?'
      const { status, payload } = await call(
        'POST',
        place(host, component, `${path}${separator}i-am-sure=true`),
      )
      return { status, payload: payload as Payload }
    },
  }
}
