import { basename, dirname } from 'node:path'
import { quote } from '../../base/shellWords.ts'

/**
 * Scripts of sh that put a new data folder in the place of the old one, by renames within the folder, with the rights of its
 * owner. Names tell how far it is: `.muster-new` is not in place yet, `.muster-moving` has some of the old files, `.muster-old`
 * all of them, and nobody needs what is in `.muster-gone`. So what was left anywhere can be undone.
 */

/** Beginning of the names that muster puts into a data folder. */
export const ownPrefix = '.muster-'

type Place = {
  readonly folder: string
  /** Paths of logs elsewhere, without the number at their end. */
  readonly logsElsewhere: readonly string[]
}

/** A folder, and the tests of find(1) for those of its entries that are moved. */
type Part = { readonly folder: string; readonly which: string }

const partsOf = ({ folder, logsElsewhere }: Place): readonly Part[] => [
  { folder, which: `! -name '${ownPrefix}*' ! -name lost+found` },
  ...logsElsewhere.map((path): Part => {
    const names = ['[0-9]*', 'index', 'state'].map((end) => `-name ${quote(`${basename(path)}.${end}`)}`)
    return { folder: dirname(path), which: `\\( ${names.join(' -o ')} \\)` }
  }),
]

const find = (from: string, which: string, what: string): string =>
  `find ${from} -mindepth 1 -maxdepth 1 ${which} ${what}`

/** Moves the old files of a part aside. */
const aside = ({ folder, which }: Part): string => `cd ${quote(folder)}
mkdir .muster-moving
${find('.', which, '-exec mv -t .muster-moving -- {} +')}
mv .muster-moving .muster-old`

/** Moves them back; what is in their place is new, once all of them were aside. */
const back = ({ folder, which }: Part): string => `cd ${quote(folder)}
if [ -d .muster-old ]; then
  ${find('.', which, '-exec rm -rf -- {} +')}
  mv .muster-old .muster-moving
fi
if [ -d .muster-moving ]; then
  ${find('.muster-moving', '', '-exec mv -t . -- {} +')}
  rmdir .muster-moving
fi`

const together = (parts: readonly string[]): string =>
  `set -e\n${parts.map((it) => `(${it}\n)`).join('\n')}\n`

/** Files that packages and certificates keep in a data folder, and no backup has. */
const kept = ['debian-*.flag', '*_upgrade_info', '*.pem']

/** Makes the empty folder of the new data. */
export const beginScript = (place: Place): string =>
  `${dropScript(place)}mkdir -m 700 -- ${quote(`${place.folder}/.muster-new`)}\n`

/** Removes new data that are not in place. */
export const dropScript = ({ folder }: Place): string =>
  together([`cd ${quote(folder)}\nrm -rf .muster-new .muster-gone`])

/** Puts the new data in the place of the old. The server is stopped. */
export const swapScript = (place: Place): string =>
  together([
    ...partsOf(place).map(aside),
    `cd ${quote(place.folder)}
${find('.muster-new', '', '-exec mv -t . -- {} +')}
rmdir .muster-new
for file in ${kept.map((it) => `.muster-old/${it}`).join(' ')}; do
  if [ -f "$file" ]; then cp -p -- "$file" .; fi
done`,
  ])

/** Puts the old data back, however far a swap came; does nothing where none began. The server is stopped. */
export const undoScript = (place: Place): string =>
  `${together(partsOf(place).map(back))}${dropScript(place)}`

/** Removes the old data, which nobody needs any more. */
export const endScript = (place: Place): string =>
  together(
    partsOf(place).map(
      ({ folder }) => `cd ${quote(folder)}
if [ -d .muster-old ]; then mv -T .muster-old .muster-gone; fi
rm -rf .muster-gone .muster-new`,
    ),
  )

/** Prints `old` where the old data of a swap that was left is still aside. */
export const lookScript = ({ folder }: Place): string =>
  `cd ${quote(folder)} && if [ -d .muster-old ] || [ -d .muster-moving ]; then echo old; fi`
