/** What the product family and everybody else starts with. */
const defaults = [
  'secret',
  'tungsten',
  'admin',
  'administrator',
  'password',
  'passw0rd',
  'changeme',
  'changeit',
  'root',
  'muster',
  'default',
  'letmein',
  'welcome',
  'qwerty',
  '12345678',
  '123456',
]

const enough = 12

/** Why a password is easy to guess, as the end of a sentence; `known`: anybody tries it first. Never quotes it. */
export function passwordWeakness(
  password: string,
  user: string | undefined,
): { readonly known: boolean; readonly reason: string } | undefined {
  const lower = password.toLowerCase()
  if (user !== undefined && lower === user.toLowerCase())
    return { known: true, reason: 'the user name itself' }
  if (defaults.includes(lower)) return { known: true, reason: 'a well-known default password' }
  const characters = [...password]
  if (characters.length < enough) return { known: false, reason: `has fewer than ${enough} characters` }
  if (new Set(characters).size < 5) return { known: false, reason: 'repeats the same few characters' }
  const stem = lower.replaceAll(/[^a-z]+/g, '')
  if (stem === user?.toLowerCase() || defaults.includes(stem)) {
    return { known: false, reason: 'is a well-known word with something added' }
  }
  return undefined
}
