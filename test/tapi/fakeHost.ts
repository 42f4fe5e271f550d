import { onTestFinished } from 'vitest'
import type { Component } from '../../src/contracts/component.ts'
import { type FakeComponent, fakeComponent } from './fakeComponent.ts'
import { type RunOptions, workplace } from './support.ts'

const login = { user: 'admin', password: 'right' }

/** What a run printed, and with which code it ended. */
export type Ran = { readonly code: number; readonly stdout: string; readonly stderr: string }

/** The host db1 with these components, recorded for a user who runs tapi as its administrator. */
export async function fakeHost<Kind extends Component>(
  ...kinds: readonly Kind[]
): Promise<{
  readonly tapi: (argv: readonly string[], options?: RunOptions) => Promise<Ran>
  readonly apis: Readonly<Record<Kind, FakeComponent>>
  readonly file: (name: string, content: string) => Promise<string>
}> {
  const place = await workplace()
  const started = await Promise.all(
    kinds.map(async (kind) => [kind, await fakeComponent(kind, login)] as const),
  )
  onTestFinished(async () => {
    await Promise.all(started.map(([, api]) => api.close()))
    await place.remove()
  })
  const apis = started.map(([component, { port }]) => ({ component, address: '0.0.0.0', port }))
  await place.record('alpha', [{ name: 'db1', address: '127.0.0.1', apis }])
  return {
    tapi: async (argv, options = {}) => {
      const env = { TAPI_USER: login.user, TAPI_PASSWORD: login.password, ...options.env }
      const { code, stdout, stderr } = await place.run(['--host', 'db1', ...argv], { ...options, env })
      return { code, stdout, stderr }
    },
    apis: Object.fromEntries(started) as Record<Kind, FakeComponent>,
    file: place.file,
  }
}
