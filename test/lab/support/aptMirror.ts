import { readFileSync } from 'node:fs'
import { succeed } from './execute.ts'

/** Where this machine's own apt gets its packages from. */
export type AptMirror = { readonly suite: string; readonly mirror: string; readonly proxy?: string }

const field = (name: string): string | undefined =>
  readFileSync('/etc/os-release', 'utf8')
    .split('\n')
    .find((line) => line.startsWith(`${name}=`))
    ?.slice(name.length + 1)
    .replaceAll('"', '')

/** Asks apt once for this process and those that it starts: each answer takes half a second of CPU time. */
async function askApt(): Promise<string> {
  process.env.MUSTER_LAB_APT_TARGETS ??= await succeed('apt-get', [
    'indextargets',
    '--format',
    '$(REPO_URI)|$(RELEASE)|$(COMPONENT)',
    'Created-By: Packages',
  ])
  return process.env.MUSTER_LAB_APT_TARGETS
}

/** The release of Debian of this machine, and of hosts whose release no test chooses. */
export const ownRelease = (): string | undefined => field('VERSION_CODENAME')

/**
 * Reads the suite and mirror from the machine's apt sources, and the proxy from its settings. MUSTER_LAB_SUITE names
 * another release of Debian for hosts whose release no test chooses; all come from the same mirror. Throws when apt
 * names no mirror.
 */
export async function aptMirror(): Promise<AptMirror> {
  const suite = ownRelease()
  const targets = (await askApt()).split('\n').map((line) => line.split('|'))
  const mirror = targets.find(([, release, component]) => release === suite && component === 'main')?.[0]
  if (suite === undefined || mirror === undefined) {
    throw new Error(`the apt sources of this machine name no mirror for ${suite ?? 'its own release'}`)
  }
  const settings = await succeed('apt-config', ['shell', 'PROXY', 'Acquire::http::Proxy'])
  const proxy = /PROXY='([^']+)'/.exec(settings)?.[1]
  return { suite: process.env.MUSTER_LAB_SUITE || suite, mirror, ...(proxy === undefined ? {} : { proxy }) }
}
