#!/usr/bin/env node
import { tapi } from '../tapi/tapi.ts'
import { createProcessContext } from './processContext.ts'

process.exitCode = await tapi({
  argv: process.argv.slice(2),
  context: createProcessContext('Stopped immediately: a call may have been made.'),
})
