import { quote } from '../base/shellWords.ts'
import { asService, type ServiceAccount } from './serviceAccount.ts'

/** Folder of a release for V8's compiled code of its program. */
export const compiledFolder = '.compiled'

/**
 * Returns the environment variable for the compile cache of Node.js 22.1 and newer (nodejs.org/api/module.html,
 * "Module compile cache"). Entries that do not fit the running Node.js or the program are compiled again.
 */
export const compileCache = (folder: string): string =>
  `NODE_COMPILE_CACHE=${quote(`${folder}/${compiledFolder}`)}`

/**
 * Returns an sh command that runs `muster-api` of a release with its compile cache, which saves a third of the start
 * time. `folder` is the release's; `words` are the command and its options, quoted. Commands that open files or
 * sockets of the service run as its `account`.
 */
export const musterApiCommand = (folder: string, words: string, account?: ServiceAccount): string =>
  `${compileCache(folder)} ${account === undefined ? '' : asService(account)}${quote(`${folder}/node`)} ${quote(`${folder}/muster-api.cjs`)} ${words}`
