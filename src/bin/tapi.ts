#!/usr/bin/env node
import { tapi } from '../tapi/tapi.ts'
import { createProcessContext, processInvocation } from './processContext.ts'

const context = {
  ...createProcessContext('Stopped immediately: a call may have been made.'),
  calledAs: processInvocation('tapi'),
}
// No top-level await: the single executable carries this program as CommonJS.
void tapi({ argv: process.argv.slice(2), context }).then((code) => {
  process.exitCode = code
})
