import { quote } from '../base/shellWords.ts'
import { asService, type ServiceAccount } from './serviceAccount.ts'

/** Folder of a release for the code that V8 compiled of its program. */
export const compiledFolder = '.compiled'

/**
 * The environment in which Node.js 22.1 and newer keep and take compiled code (nodejs.org/api/module.html, "Module
 * compile cache"), each program's under its path. What does not fit the running Node.js or the program is compiled
 * anew.
 */
export const compileCache = (folder: string): string =>
  `NODE_COMPILE_CACHE=${quote(`${folder}/${compiledFolder}`)}`

/**
 * sh command that runs `muster-api` of a release, with code that was compiled when the release was sent: a start takes
 * two thirds of the time. `folder` is the release's; `words` are the command and its options, quoted. What opens files or
 * sockets of the service runs as its `account`.
 */
export const ownProgram = (folder: string, words: string, account?: ServiceAccount): string =>
  `${compileCache(folder)} ${account === undefined ? '' : asService(account)}${quote(`${folder}/node`)} ${quote(`${folder}/muster-api.cjs`)} ${words}`
