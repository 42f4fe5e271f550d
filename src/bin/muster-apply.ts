import packageJson from '../../package.json' with { type: 'json' }
import { applyBundle } from '../apply/applyBundle.ts'
import { removeCopies } from '../apply/openBundle.ts'
import { createProcessContext } from './processContext.ts'

const [, script = '', ...words] = process.argv
removeCopies(script)

const forcedStopMessage = 'Stopped immediately: a step may be incomplete. Run ./apply again to continue.'
// In a bundle there is no package to read.
const context = createProcessContext(forcedStopMessage, { directory: '/', version: packageJson.version })
applyBundle(context, words).then((code) => {
  process.exitCode = code
})
