/** Options that say nothing about the way to a host, its key or ours (ssh_config(5)): what distributions set. */
const harmless = new Set([
  'casignaturealgorithms',
  'ciphers',
  'compression',
  'forwardagent',
  'forwardx11',
  'forwardx11trusted',
  'gssapiauthentication',
  'gssapidelegatecredentials',
  'gssapikexalgorithms',
  'gssapikeyexchange',
  'hashknownhosts',
  'hostkeyalgorithms',
  'kexalgorithms',
  'macs',
  'permitlocalcommand',
  'pubkeyacceptedalgorithms',
  'pubkeyacceptedkeytypes',
  'requiredrsasize',
  'rsaminsize',
  'sendenv',
  'serveraliveinterval',
  'tunnel',
  'visualhostkey',
  'xauthlocation',
])

/**
 * The files that an ssh_config includes, when nothing else in it matters here; undefined when something does, or
 * may. With such files alone ssh need not be asked, which takes a process for each host.
 */
export function includesOfPlain(text: string): readonly string[] | undefined {
  const includes: string[] = []
  for (const line of text.split('\n')) {
    const [, name = '', value = ''] = /^\s*([A-Za-z0-9]+)(?:\s*=\s*|\s+)(.*?)\s*$/.exec(line) ?? []
    const option = name.toLowerCase()
    if (option === '' && /^\s*(#.*)?$/.test(line)) continue
    if (option === 'include') includes.push(...value.split(/\s+/))
    else if (!(harmless.has(option) || (option === 'host' && value === '*') || isForAll(option, value)))
      return undefined
  }
  return includes
}

const isForAll = (option: string, value: string): boolean =>
  option === 'match' && /^(final\s+)?all$/i.test(value)
