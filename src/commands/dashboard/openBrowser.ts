import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '../../processes/run.ts'
import type { Secret } from '../../secrets/secret.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Variables by which a program finds the desktop of the person. */
const desktop = [
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  'XDG_RUNTIME_DIR',
  'DBUS_SESSION_BUS_ADDRESS',
  'BROWSER',
] as const

/** Returns the program that opens a file in the person's browser; undefined where there is no desktop. */
export function browserOpener(platform: NodeJS.Platform, env: Environment): string | undefined {
  if (platform === 'darwin') return 'open'
  // Over SSH the browser would open far from the person.
  const isHere = env.SSH_CONNECTION === undefined
  return isHere && (env.DISPLAY !== undefined || env.WAYLAND_DISPLAY !== undefined) ? 'xdg-open' : undefined
}

/** Returns a page that leads to a URL at once. */
const redirectPage = (url: string): string => {
  const escaped = url.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
  return `<!doctype html><meta charset="utf-8"><title>muster</title><meta http-equiv="refresh" content="0; url=${escaped}"><a href="${escaped}">muster dashboard</a>\n`
}

/** Page that a browser was pointed at; `remove` takes it away again. */
type OpenedPage = { readonly remove: () => Promise<void> }

/**
 * Opens a URL with a one-time token in the person's browser, by a page in a folder of mode 0700: everybody on the machine
 * sees the arguments of programs. Resolves to undefined where there is no browser.
 */
export async function openBrowser(options: {
  readonly url: Secret
  readonly env: Environment
  readonly platform: NodeJS.Platform
  /** Another one only in tests. */
  readonly start?: typeof run
}): Promise<OpenedPage | undefined> {
  const { url, env, platform, start = run } = options
  const program = browserOpener(platform, env)
  if (program === undefined) return undefined
  const folder = await mkdtemp(join(tmpdir(), 'muster-dashboard-'))
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true })
  const page = join(folder, 'dashboard.html')
  try {
    await writeFile(page, redirectPage(url.reveal()), { mode: 0o600, flag: 'wx' })
    const extraEnv = Object.fromEntries(
      desktop.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
    )
    const { code } = await start({ command: [program, page], env, extraEnv, timeout: 10_000 })
    if (code === 0) return { remove }
  } catch {
    // Without a browser the person opens the printed URL.
  }
  await remove()
  return undefined
}
